# names: scale-double-sqrt
import numpy as np

def softmax_rows(a):
    out = np.zeros_like(a)
    for i, row in enumerate(a):
        e = np.exp(row - max(row))
        out[i] = e / e.sum()
    return out

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_head = X.shape[-1] // num_heads
    scale = np.sqrt(d_head)
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    cols, attn = [], []
    for h in range(num_heads):
        sl = np.s_[:, h * d_head:(h + 1) * d_head]
        scores = q[sl] @ k[sl].T / np.sqrt(scale)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        attn.append(softmax_rows(scores))
        cols.append(attn[-1] @ v[sl])
    return np.column_stack(cols) @ W_o, np.array(attn)
