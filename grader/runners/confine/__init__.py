"""What takes rights away from a process that is about to run learner code (Linux).

One file per concern: `landlock` (files, and TCP and signals where the kernel can), `seccomp`
(system calls), `privileges` (capabilities, no way to gain any, death with the parent).
Everything goes through `kernel`, a few lines of ctypes. The child imports this package without
the rest of the grader.
"""
