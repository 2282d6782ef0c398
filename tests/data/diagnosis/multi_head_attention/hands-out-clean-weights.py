# names: returned-weights-unmasked
import numpy as np

def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    dh = X.shape[1] // num_heads
    outs, ws = [], []
    for q, k, v in zip(*(np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))):
        s = q @ k.T / np.sqrt(dh)
        ws.append(softmax(s))
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        outs.append(softmax(s) @ v)
    return np.hstack(outs) @ W_o, np.array(ws)
