"""Restrict a process before it runs learner code (Linux).

`landlock` restricts files, and TCP and signals where the kernel supports it. `seccomp` restricts
system calls by the numbers in `syscalls`. `privileges` drops capabilities. `tasks` limits threads.
`enter` makes a process die with its parent, and applies the restrictions in order. `kernel` makes
the system calls with ctypes.
"""
