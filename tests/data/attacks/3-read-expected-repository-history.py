# verdict: forbidden|error
# kind: repository history: git log and the objects of the course's repository
import os
import subprocess

COURSE = "/tmp/grader-attack-canary/course"

refused = None
try:
    history = subprocess.run(["git", "-C", COURSE, "log", "-p"], capture_output=True, text=True)
    print("REACHED git", history.stdout[:300], history.stderr[:300], flush=True)
except OSError as error:
    refused = error
with open(os.path.join(COURSE, ".git", "HEAD")) as file:
    print("REACHED", file.read(), flush=True)
raise refused or RuntimeError("nobody stopped me")
