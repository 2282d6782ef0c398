# names: q-and-k-swapped
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    step = d // num_heads
    att = []
    parts = []
    for at in range(0, d, step):
        query = np.dot(X, W_q[:, at:at + step])
        key = np.dot(X, W_k[:, at:at + step])
        value = np.dot(X, W_v[:, at:at + step])
        sim = np.dot(key, query.T) / np.sqrt(step)
        if mask is not None:
            sim = np.where(mask, sim, -np.inf)
        sim = np.exp(sim - sim.max(axis=1, keepdims=True))
        sim /= sim.sum(axis=1, keepdims=True)
        att.append(sim)
        parts.append(np.dot(sim, value))
    return np.dot(np.hstack(parts), W_o), np.array(att)
