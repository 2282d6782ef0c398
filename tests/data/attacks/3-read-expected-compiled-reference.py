# verdict: forbidden|error
# kind: compiled reference: reads __pycache__/reference*.pyc and unmarshals it
import marshal
import os

FOLDER = "/tmp/grader-attack-canary/course/problems/multi_head_attention/__pycache__"

for name in os.listdir(FOLDER):
    with open(os.path.join(FOLDER, name), "rb") as file:
        code = marshal.loads(file.read()[16:])
    print("REACHED", name, flush=True)
    exec(code)
