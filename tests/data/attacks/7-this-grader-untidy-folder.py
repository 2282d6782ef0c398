# verdict: error|forbidden
# kind: a scratch folder that is hard to remove: too deep for a path, closed to its owner, with a pipe in it
import os

os.mkdir("closed")
os.mkfifo("closed/pipe")
os.chmod("closed", 0)
for _ in range(60):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
raise RuntimeError("clean that up")
