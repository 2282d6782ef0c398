# names: mask-after-softmax-no-renorm
import numpy as np

def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    dh = X.shape[1] // num_heads
    ws, outs = [], []
    for wq, wk, wv in zip(*(np.hsplit(W, num_heads) for W in (W_q, W_k, W_v))):
        w = softmax((X @ wq) @ (X @ wk).T / np.sqrt(dh))
        if mask is not None:
            w = w * mask
        ws.append(w)
        outs.append(w @ (X @ wv))
    return np.hstack(outs) @ W_o, np.stack(ws)
