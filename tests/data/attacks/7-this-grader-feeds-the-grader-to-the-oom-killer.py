# verdict: forbidden|error
# kind: writes the parent's oom_score_adj (here its present value)
import os

name = f"/proc/{os.getppid()}/oom_score_adj"
with open(name) as file:
    before = file.read()
print("REACHED", name, flush=True)
with open(name, "w") as file:
    file.write(before)
print("REACHED writing it", flush=True)
raise RuntimeError("nobody stopped me")
