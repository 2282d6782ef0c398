# verdict: forbidden|error
# kind: sets a limit of the parent process (here to its present value)
import os
import resource

parent = os.getppid()
before = resource.prlimit(parent, resource.RLIMIT_NOFILE)
resource.prlimit(parent, resource.RLIMIT_NOFILE, before)
print("REACHED the parent's limits", flush=True)
raise RuntimeError("nobody stopped me")
