"""What takes rights away from a process that is about to run learner code (Linux).

One file per concern: `landlock` (files, and TCP and signals where the kernel can), `seccomp`
(system calls, by the numbers in `syscalls`), `enter` (capabilities, death with the parent, and the
steps in their order). Everything goes through `kernel`, a few lines of ctypes.
"""
