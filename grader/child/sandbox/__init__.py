"""Restrict a process before it runs learner code (Linux).

`landlock` restricts files, and TCP and signals where the kernel supports it. `seccomp` restricts
system calls by the numbers in `syscalls`. `enter` drops capabilities, makes a process die with its
parent, and applies the restrictions in order. `kernel` makes the system calls with ctypes.
"""
