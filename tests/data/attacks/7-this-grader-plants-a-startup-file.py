# verdict: forbidden|error
# kind: a .pth file in site-packages runs in the next Python (here an empty one, removed at once)
import os

import numpy

name = os.path.join(os.path.dirname(os.path.dirname(numpy.__file__)), "grader-attack-canary.pth")
with open(name, "x"):
    pass
os.unlink(name)
print("REACHED site-packages", flush=True)
raise RuntimeError("nobody stopped me")
