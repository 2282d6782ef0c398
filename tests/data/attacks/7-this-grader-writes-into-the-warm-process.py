# verdict: forbidden|error
# kind: writes into the memory of the parent (here nothing, to an address that is never mapped)
import ctypes
import os

ESRCH, EFAULT = 3, 14


class Span(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
source = ctypes.create_string_buffer(8)
local, remote = Span(ctypes.addressof(source), 8), Span(16, 8)
libc.process_vm_writev(os.getppid(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
if ctypes.get_errno() == EFAULT:
    print("REACHED the parent's memory", flush=True)
raise OSError(ctypes.get_errno(), "process_vm_writev")
