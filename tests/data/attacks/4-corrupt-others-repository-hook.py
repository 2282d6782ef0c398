# verdict: forbidden|error
# kind: repository hook: .git/hooks and .git/config of the checkout
import os

GIT = "/tmp/grader-attack-canary/course/.git"

with open(os.path.join(GIT, "hooks", "pre-commit"), "w") as file:
    file.write("#!/bin/sh\n")
print("REACHED a hook", flush=True)
with open(os.path.join(GIT, "config"), "a") as file:
    file.write("[core]\n\tfsmonitor = false\n")
print("REACHED the configuration", flush=True)
raise RuntimeError("nobody stopped me")
