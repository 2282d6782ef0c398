# names: wo-omitted, scale-by-d-model
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    ws, outs = [], []
    for q, k, v in zip(*(np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))):
        s = q @ k.T / np.sqrt(d_model)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        outs.append(ws[-1] @ v)
    return np.hstack(outs), np.array(ws)
