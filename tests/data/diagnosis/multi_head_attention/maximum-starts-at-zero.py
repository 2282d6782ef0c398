# names: softmax-shift-clipped-at-zero
import numpy as np

def softmax_row(row):
    biggest = 0.0
    for x in row:
        if x > biggest:
            biggest = x
    e = [np.exp(x - biggest) for x in row]
    total = sum(e)
    return [x / total for x in e]

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = (X @ W_q[:, c]) @ (X @ W_k[:, c]).T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        w = np.array([softmax_row(row) for row in s])
        ws.append(w)
        outs.append(w @ (X @ W_v[:, c]))
    return np.hstack(outs) @ W_o, np.stack(ws)
