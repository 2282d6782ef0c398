# verdict: error|forbidden
# kind: int 0x80 and x32 numbers, which a careless filter lets through
import ctypes
import mmap
import platform
import sys

GETPID_32, GETPID_X32 = 20, 0x40000000 + 39

if (sys.platform, platform.machine()) != ("linux", "x86_64"):
    raise RuntimeError("these instructions are for another machine")
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(GETPID_X32) > 0:
    print("REACHED an x32 system call", flush=True)
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\xb8" + GETPID_32.to_bytes(4, "little") + b"\xcd\x80\xc3")
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
if call() > 0:
    print("REACHED a 32-bit system call", flush=True)
raise RuntimeError("nothing more to try")
