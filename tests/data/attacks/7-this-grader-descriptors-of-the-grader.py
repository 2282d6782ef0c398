# verdict: forbidden|error
# kind: opens the files that the parent has open
import os

folder = f"/proc/{os.getppid()}/fd"
for name in os.listdir(folder):
    print("REACHED", name, os.readlink(os.path.join(folder, name)), flush=True)
raise RuntimeError("nobody stopped me")
