# verdict: error
# kind: crash: ends itself with os.abort()
import os


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.abort()
