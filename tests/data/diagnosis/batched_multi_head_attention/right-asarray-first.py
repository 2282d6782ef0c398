# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    Q, K, V = (np.asarray(a, dtype=np.float64) for a in (Q, K, V))
    B, nq, d = Q.shape
    f = d // num_heads
    to_heads = lambda x, w: np.dot(x, w).reshape(B, -1, num_heads, f).transpose(2, 0, 1, 3)
    q, k, v = to_heads(Q, W_q), to_heads(K, W_k), to_heads(V, W_v)
    outs = np.zeros((num_heads, B, nq, f))
    for h in range(num_heads):
        for b in range(B):
            s = q[h, b] @ k[h, b].T
            s *= 1.0 / np.sqrt(f)
            s -= s.max(axis=1, keepdims=True)
            np.exp(s, out=s)
            s /= s.sum(axis=1, keepdims=True)
            outs[h, b] = s @ v[h, b]
    return outs.transpose(1, 2, 0, 3).reshape(B, nq, d) @ W_o
