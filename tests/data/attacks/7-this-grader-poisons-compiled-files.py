# verdict: forbidden|error
# kind: a stale-looking .pyc beside the reference, which the grader would import instead of it
import os
import sys

FOLDER = "/tmp/grader-attack-canary/course/problems/multi_head_attention/__pycache__"
tag = sys.implementation.cache_tag
with open(os.path.join(FOLDER, f"misconceptions.{tag}.pyc"), "wb") as file:
    file.write(b"nothing")
print("REACHED the compiled files", flush=True)
raise RuntimeError("nobody stopped me")
