@8-hostile-text-prints-words-that-begin-a-trace
