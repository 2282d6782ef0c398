"""The layers of the sandbox that can be missing, as bits of what a trial found working."""

LANDLOCK, SECCOMP = 1, 2
