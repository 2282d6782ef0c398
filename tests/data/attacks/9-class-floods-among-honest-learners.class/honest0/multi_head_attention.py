@8-hostile-text-honest-words-of-a-trace
