# verdict: error|forbidden
# kind: reads its own first environment from /proc and the C library
import ctypes
import os

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
for name in (b"GRADER_ATTACK_SECRET", b"GITHUB_TOKEN", b"AWS_SECRET_ACCESS_KEY"):
    if libc.getenv(name):
        print("REACHED", name, libc.getenv(name), flush=True)
with open("/proc/self/environ", "rb") as file:
    first = file.read()
if b"SECRET" in first or b"TOKEN" in first:
    print("REACHED", first.replace(b"\0", b" ").decode(errors="replace"), flush=True)
raise RuntimeError(f"{len(first)} bytes seen")
