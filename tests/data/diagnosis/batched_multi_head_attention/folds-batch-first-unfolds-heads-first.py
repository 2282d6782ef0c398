# names: batch-head-order-mixed
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    dh = d // num_heads
    def fold(x):
        return x.reshape(B, -1, num_heads, dh).transpose(0, 2, 1, 3).reshape(B * num_heads, -1, dh)
    q, k, v = fold(Q @ W_q), fold(K @ W_k), fold(V @ W_v)
    out = []
    for a, b, c in zip(q, k, v):
        s = a @ b.T / np.sqrt(dh)
        s = np.exp(s - s.max(1, keepdims=True))
        out.append(s / s.sum(1, keepdims=True) @ c)
    out = np.array(out).reshape(num_heads, B, nq, dh).transpose(1, 2, 0, 3)
    return out.reshape(B, nq, d) @ W_o
