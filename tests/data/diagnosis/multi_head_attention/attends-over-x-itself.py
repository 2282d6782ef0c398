# names: qkv-not-projected
import numpy as np

def softmax(z):
    z = z - np.amax(z, -1)[..., None]
    e = np.exp(z)
    return e / np.sum(e, -1)[..., None]

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    Q = np.dot(X, W_q)
    K = np.dot(X, W_k)
    V = np.dot(X, W_v)
    # one block of columns for every head
    Qs = np.hsplit(X, num_heads)
    Ks = np.hsplit(X, num_heads)
    Vs = np.hsplit(X, num_heads)
    outs, ws = [], []
    for a, b, c in zip(Qs, Ks, Vs):
        scores = np.dot(a, b.T) / a.shape[1] ** 0.5
        if mask is not None:
            scores = np.where(np.asarray(mask), scores, -1e9)
        w = softmax(scores)
        outs.append(np.dot(w, c))
        ws.append(w)
    return np.dot(np.concatenate(outs, axis=1), W_o), np.array(ws)
