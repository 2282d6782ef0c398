# verdict: forbidden|error
# kind: compiled reference: reads __pycache__/reference*.pyc and unmarshals it
import marshal
import os

FOLDER = "/tmp/grader-attack-canary/course/problems/multi_head_attention/__pycache__"



def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for name in os.listdir(FOLDER):
        with open(os.path.join(FOLDER, name), "rb") as file:
            code = marshal.loads(file.read()[16:])
        print("REACHED", name, flush=True)
        module = {}
        exec(code, module)
        return module["multi_head_attention"](X, W_q, W_k, W_v, W_o, num_heads, mask)
