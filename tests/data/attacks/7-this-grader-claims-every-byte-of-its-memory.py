# verdict: fail|error
# kind: claims 2**64 - 1 bytes of frames at import, so that the grader copies the whole shared memory
import struct
import sys
import time

frame = sys._getframe()
while frame.f_code.co_name not in ("live", "main"):
    frame = frame.f_back
if "memory" in frame.f_locals:
    struct.pack_into("=Q", frame.f_locals["memory"], 0, 2**64 - 1)
time.sleep(0.2)


def multi_head_attention(*arguments):
    pass
