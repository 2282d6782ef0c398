"""Numbers of the system calls that the sandbox uses, allows or filters.

Source: the kernel's headers (linux-libc-dev 6.1), `asm/unistd_64.h` for x86-64 and
`asm-generic/unistd.h` for aarch64. None: the architecture does not have the call.
"""

from __future__ import annotations

from typing import NamedTuple


class Numbers(NamedTuple):
    """The number of one system call on each architecture."""

    x86_64: int | None
    aarch64: int | None


ALLOWED = {
    # read files; use open descriptors
    "read": Numbers(0, 63),
    "write": Numbers(1, 64),
    "close": Numbers(3, 57),
    "fstat": Numbers(5, 80),
    "newfstatat": Numbers(262, 79),
    "stat": Numbers(4, None),
    "lstat": Numbers(6, None),
    "statx": Numbers(332, 291),
    "lseek": Numbers(8, 62),
    "pread64": Numbers(17, 67),
    "readv": Numbers(19, 65),
    "writev": Numbers(20, 66),
    "access": Numbers(21, None),
    "faccessat": Numbers(269, 48),
    "faccessat2": Numbers(439, 439),
    "open": Numbers(2, None),
    "openat": Numbers(257, 56),
    "readlink": Numbers(89, None),
    "readlinkat": Numbers(267, 78),
    "getcwd": Numbers(79, 17),
    "getdents64": Numbers(217, 61),
    "fadvise64": Numbers(221, 223),
    "umask": Numbers(95, 166),
    "dup": Numbers(32, 23),
    "poll": Numbers(7, None),
    "ppoll": Numbers(271, 73),
    "select": Numbers(23, None),
    "pselect6": Numbers(270, 72),
    "pipe": Numbers(22, None),
    "pipe2": Numbers(293, 59),
    "eventfd2": Numbers(290, 19),
    "epoll_create1": Numbers(291, 20),
    # memory
    "mmap": Numbers(9, 222),
    "mprotect": Numbers(10, 226),
    "munmap": Numbers(11, 215),
    "mremap": Numbers(25, 216),
    "madvise": Numbers(28, 233),
    "brk": Numbers(12, 214),
    "mincore": Numbers(27, 232),
    "membarrier": Numbers(324, 283),
    # signals of its own
    "rt_sigaction": Numbers(13, 134),
    "rt_sigprocmask": Numbers(14, 135),
    "rt_sigreturn": Numbers(15, 139),
    "sigaltstack": Numbers(131, 132),
    "restart_syscall": Numbers(219, 128),
    "alarm": Numbers(37, None),
    "setitimer": Numbers(38, 103),
    "getitimer": Numbers(36, 102),
    # threads of its own
    "futex": Numbers(202, 98),
    "exit": Numbers(60, 93),
    "exit_group": Numbers(231, 94),
    "sched_yield": Numbers(24, 124),
    "sched_getaffinity": Numbers(204, 123),
    "set_tid_address": Numbers(218, 96),
    "set_robust_list": Numbers(273, 99),
    "rseq": Numbers(334, 293),
    "getcpu": Numbers(309, 168),
    # time
    "nanosleep": Numbers(35, 101),
    "clock_nanosleep": Numbers(230, 115),
    "gettimeofday": Numbers(96, 169),
    "time": Numbers(201, None),
    "clock_gettime": Numbers(228, 113),
    "clock_getres": Numbers(229, 114),
    "times": Numbers(100, 153),
    # facts about itself and the machine
    "getpid": Numbers(39, 172),
    "gettid": Numbers(186, 178),
    "getppid": Numbers(110, 173),
    "getuid": Numbers(102, 174),
    "geteuid": Numbers(107, 175),
    "getgid": Numbers(104, 176),
    "getegid": Numbers(108, 177),
    "getpgrp": Numbers(111, None),
    "getpgid": Numbers(121, 155),
    "getsid": Numbers(124, 156),
    "getrlimit": Numbers(97, 163),
    "getrusage": Numbers(98, 165),
    "sysinfo": Numbers(99, 179),
    "uname": Numbers(63, 160),
    "getrandom": Numbers(318, 278),
}
"""calls that NumPy code needs, allowed with any arguments"""

FILTERED = {
    "clone": Numbers(56, 220),
    "clone3": Numbers(435, 435),
    "fcntl": Numbers(72, 25),
    "ioctl": Numbers(16, 29),
    "kill": Numbers(62, 129),
    "tgkill": Numbers(234, 131),
    "prlimit64": Numbers(302, 261),
}
"""calls that are allowed with certain arguments, or fail with another error than EPERM"""

OWN = {
    "landlock_create_ruleset": Numbers(444, 444),
    "landlock_add_rule": Numbers(445, 445),
    "landlock_restrict_self": Numbers(446, 446),
    "seccomp": Numbers(317, 277),
    "prctl": Numbers(157, 167),
    "capget": Numbers(125, 90),
    "capset": Numbers(126, 91),
    "socket": Numbers(41, 198),
    "unshare": Numbers(272, 97),
    "ptrace": Numbers(101, 117),
    "mount": Numbers(165, 40),
    "umount2": Numbers(166, 39),
    "pivot_root": Numbers(155, 41),
}
"""calls that the sandbox makes to set itself up and to try itself"""
