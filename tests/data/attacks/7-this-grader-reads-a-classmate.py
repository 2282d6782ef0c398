# verdict: forbidden|error
# kind: reads the sibling submission and runs it as its own
ALICE = "/tmp/grader-attack-canary/course/solutions/alice.py"


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    with open(ALICE) as file:
        source = file.read()
    print("REACHED alice", source[:200], flush=True)
    module = {}
    exec(source, module)
    return module["multi_head_attention"](X, W_q, W_k, W_v, W_o, num_heads, mask)
