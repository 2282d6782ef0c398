# names: softmax-twice
import numpy as np

def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def scores(q, k, mask):
    s = q @ k.T / np.sqrt(q.shape[1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q, k, v = (np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))
    ws = [softmax(scores(a, b, mask)) for a, b in zip(q, k)]
    return np.hstack([w @ c for w, c in zip(ws, v)]) @ W_o, np.array(ws)
