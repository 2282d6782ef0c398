# names: split-before-projection
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    outs = np.zeros((n, d_model))
    ws = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        b = slice(h * d_head, (h + 1) * d_head)
        x = X[:, b]              # the part of the input for this head
        q = x @ W_q[b, b]
        k = x @ W_k[b, b]
        v = x @ W_v[b, b]
        s = q @ k.T / np.sqrt(d_head)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1, keepdims=True))
        ws[h] = s / s.sum(1, keepdims=True)
        outs[:, b] = ws[h] @ v
    return outs @ W_o, ws
