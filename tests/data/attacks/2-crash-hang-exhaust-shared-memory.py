# verdict: error|forbidden
# kind: shared memory: POSIX and SysV segments that would outlive the process (removed at once)
import ctypes
from multiprocessing import shared_memory

IPC_PRIVATE, IPC_RMID = 0, 0


def posix_segment():
    block = shared_memory.SharedMemory(create=True, size=4096)
    block.close()
    block.unlink()


def sysv_segment():
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(IPC_PRIVATE, 4096, 0o1600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    libc.shmctl(segment, IPC_RMID, None)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    refused = None
    for make in (posix_segment, sysv_segment):
        try:
            make()
        except OSError as error:
            refused = error
        else:
            print("REACHED", make.__name__, flush=True)
    raise refused or RuntimeError("nobody stopped me")
