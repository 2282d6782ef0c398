# verdict: forbidden|error
# kind: reads the environment and the command line of the parent in /proc
import os

parent = os.getppid()
with open(f"/proc/{parent}/environ", "rb") as file:
    print("REACHED", file.read().replace(b"\0", b" ").decode(errors="replace"), flush=True)
with open(f"/proc/{parent}/cmdline", "rb") as file:
    print("REACHED", file.read().decode(errors="replace"), flush=True)
raise RuntimeError("nobody stopped me")
