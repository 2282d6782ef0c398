# names: heads-averaged
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_head = X.shape[1] // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        s = slice(h * d_head, (h + 1) * d_head)
        Q, K, V = X @ W_q[:, s], X @ W_k[:, s], X @ W_v[:, s]
        A = Q @ K.T / np.sqrt(d_head)
        if mask is not None:
            A = np.where(mask, A, -np.inf)
        A = np.exp(A - A.max(-1, keepdims=True))
        A = A / A.sum(-1, keepdims=True)
        outs.append(A @ V)
        ws.append(A)
    # combine what the heads found
    out = np.mean(outs, axis=0)
    return out @ W_o, np.array(ws)
