@8-hostile-text-source-in-a-comment
