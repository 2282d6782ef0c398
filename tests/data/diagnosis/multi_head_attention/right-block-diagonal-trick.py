# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    # a 0/1 selector per head instead of slicing
    selectors = np.kron(np.eye(num_heads), np.ones(d // num_heads))
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    total = np.zeros((n, d))
    ws = []
    for sel in selectors:
        s = (Q * sel) @ K.T / np.sqrt(sel.sum())
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1, keepdims=True))
        ws.append(s / s.sum(1, keepdims=True))
        total += ws[-1] @ (V * sel)
    return total @ W_o, np.array(ws)
