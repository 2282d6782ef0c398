# verdict: error
# kind: a helper beside the submission is a symbolic link to a text outside the course
# link: cheat.py -> /tmp/grader-attack-canary/secret.txt
import cheat

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return cheat
