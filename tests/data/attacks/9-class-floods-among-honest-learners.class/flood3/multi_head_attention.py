@8-hostile-text-prints-halves-of-escapes
