# names: wo-omitted
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    heads, all_w = [], []
    for h in range(num_heads):
        cols = slice(h * dh, (h + 1) * dh)
        q = X @ W_q[:, cols]
        k = X @ W_k[:, cols]
        v = X @ W_v[:, cols]
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = s - s.max(axis=1, keepdims=True)
        w = np.exp(s)
        w = w / w.sum(axis=1, keepdims=True)
        heads.append(w @ v)
        all_w.append(w)
    # glue the heads together again, done!
    return np.hstack(heads), np.stack(all_w)
