# verdict: forbidden|error
# kind: debugger attach: PTRACE_SEIZE of the parent, then process_vm_readv
import ctypes
import os

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class Span(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    parent = os.getppid()
    target = ctypes.create_string_buffer(16)
    local = Span(ctypes.addressof(target), 16)
    remote = Span(id(None), 16)
    if libc.process_vm_readv(parent, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) != -1:
        print("REACHED process_vm_readv", flush=True)
    refused = ctypes.get_errno()
    if libc.ptrace(PTRACE_SEIZE, parent, None, None) != -1:
        print("REACHED ptrace", flush=True)
        libc.ptrace(PTRACE_DETACH, parent, None, None)
    refused = ctypes.get_errno() or refused
    raise OSError(refused, "ptrace")
