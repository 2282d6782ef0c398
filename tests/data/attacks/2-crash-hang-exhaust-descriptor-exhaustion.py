# verdict: error|forbidden
# kind: descriptor exhaustion: opens descriptors until refused (here 5000 at most)
import os


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for _ in range(5000):
        os.open(os.devnull, os.O_RDONLY)
    print("REACHED 5000 descriptors", flush=True)
    raise RuntimeError("nobody stopped me")
