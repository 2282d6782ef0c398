# verdict: forbidden|error
# kind: test-runner hook: conftest.py, pytest.ini, setup.cfg and a Makefile above the submission
import os

COURSE = "/tmp/grader-attack-canary/course"

for name in ("conftest.py", "pytest.ini", "setup.cfg", "GNUmakefile"):
    with open(os.path.join(COURSE, name), "x") as file:
        file.write("# was here\n")
    print("REACHED", name, flush=True)
raise RuntimeError("nobody stopped me")
