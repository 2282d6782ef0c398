# names: rebinds-projection-in-loop
import numpy as np

def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_head = X.shape[1] // num_heads
    Q = K = V = X
    outs, ws = [], []
    for h in range(num_heads):
        Q = Q @ W_q
        K = K @ W_k
        V = V @ W_v
        cols = slice(h * d_head, (h + 1) * d_head)
        s = Q[:, cols] @ K[:, cols].T / np.sqrt(d_head)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        w = softmax(s)
        outs.append(w @ V[:, cols])
        ws.append(w)
    return np.concatenate(outs, axis=-1) @ W_o, np.stack(ws)
