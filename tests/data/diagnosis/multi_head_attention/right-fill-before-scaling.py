# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        cols = np.arange(dh) + h * dh
        q, k, v = (X @ np.take(W, cols, axis=1) for W in (W_q, W_k, W_v))
        s = q @ k.T
        if mask is not None:
            s[~np.broadcast_to(mask, (n, n))] = -np.inf
        s /= np.sqrt(dh)
        w = np.exp(s - np.amax(s, axis=1, keepdims=True))
        w /= np.sum(w, axis=1, keepdims=True)
        outs.append(w @ v)
        ws.append(w)
    return np.hstack(outs) @ W_o, np.stack(ws)
