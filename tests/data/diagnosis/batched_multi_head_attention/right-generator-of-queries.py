# names: nothing
# passes
import numpy as np

def rows(q, k, v):
    for one in q:
        s = k @ one / np.sqrt(one.size)
        e = np.exp(s - s.max())
        yield e @ v / e.sum()

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    f = Q.shape[-1] // num_heads
    out = np.empty(Q.shape, dtype=np.float64)
    for b in np.ndindex(len(Q)):
        for h in range(num_heads):
            c = slice(h * f, (h + 1) * f)
            out[b][:, c] = list(rows(Q[b] @ W_q[:, c], K[b] @ W_k[:, c], V[b] @ W_v[:, c]))
    return np.tensordot(out, W_o, axes=1)
