# verdict: timeout
# kind: an endless loop at import: the file never finishes loading
# limits: import_seconds=0.7
import time

end = time.monotonic() + 30
while time.monotonic() < end:
    pass
