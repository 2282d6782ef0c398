# verdict: forbidden|error
# kind: calls that honest code never needs: keyrings, io_uring, userfaultfd, bpf, perf, memfd, handles
import ctypes
import platform
import sys

CALLS = {
    "memfd_create": (319, [b"canary", 0]),
    "keyctl": (250, [0, -3, 0]),
    "io_uring_setup": (425, [0, 0]),
    "userfaultfd": (323, [2**30]),
    "bpf": (321, [-1, 0, 0]),
    "perf_event_open": (298, [0, 0, -1, -1, 0]),
    "open_by_handle_at": (304, [-1, 0, 0]),
    "name_to_handle_at": (303, [-1, 0, 0, 0, 0]),
    "kcmp": (312, [0, 0, 0, 0, 0]),
    "mount": (165, [0, 0, 0, 0, 0]),
    "pidfd_open": (434, [0, -1]),
    "inotify_init1": (294, [0]),
    "fanotify_init": (300, [-1, 0]),
    "setns": (308, [-1, 0]),
    "add_key": (248, [0, 0, 0, 0, 0]),
}
EPERM, ENOSYS = 1, 38

if (sys.platform, platform.machine()) != ("linux", "x86_64"):
    raise RuntimeError("these numbers are for another machine")
libc = ctypes.CDLL(None, use_errno=True)
for name, (number, arguments) in CALLS.items():
    ctypes.set_errno(0)
    libc.syscall(number, *arguments)
    if ctypes.get_errno() not in (EPERM, ENOSYS):
        print("REACHED", name, ctypes.get_errno(), flush=True)
raise PermissionError(EPERM, "all refused, or nothing left to ask")
