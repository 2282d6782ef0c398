@8-hostile-text-prints-headers-of-traces
