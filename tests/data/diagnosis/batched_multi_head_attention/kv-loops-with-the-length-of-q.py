# names: kv-reshaped-with-query-length
import numpy as np

def split_heads(x, n, h):
    return x.reshape(n, h, x.shape[-1] // h).transpose(1, 0, 2)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    out = []
    for b in range(B):
        q = split_heads(Q[b] @ W_q, n, num_heads)
        k = split_heads(K[b] @ W_k, n, num_heads)
        v = split_heads(V[b] @ W_v, n, num_heads)
        s = q @ k.transpose(0, 2, 1) / np.sqrt(d // num_heads)
        s = np.exp(s - s.max(-1, keepdims=True))
        o = s / s.sum(-1, keepdims=True) @ v
        out.append(o.transpose(1, 0, 2).reshape(n, d) @ W_o)
    return np.stack(out)
