# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q, k, v = ((x @ w).reshape(B, -1, num_heads, d // num_heads) for x, w in ((Q, W_q), (K, W_k), (V, W_v)))
    s = np.einsum("bihf,bjhf->bhij", q / np.sqrt(d // num_heads), k)
    e = np.exp(s - s.max(-1, keepdims=True))
    # normalise after multiplying with the values
    ctx = np.einsum("bhij,bjhf->bhif", e, v) / e.sum(-1, keepdims=True)
    return np.rollaxis(ctx, 2, 1).reshape(B, n, d) @ W_o
