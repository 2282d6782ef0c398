# verdict: forbidden|error
# kind: kernel attack surface: a user and a network namespace of its own, to gain capabilities
import ctypes

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
    raise OSError(ctypes.get_errno(), "unshare")
print("REACHED new namespaces", flush=True)
raise RuntimeError("nobody stopped me")
