# verdict: timeout
# kind: never finishes loading
import time

end = time.monotonic() + 30
while time.monotonic() < end:
    pass
