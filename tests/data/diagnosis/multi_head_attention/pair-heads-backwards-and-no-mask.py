# names: merge-heads-reversed, mask-ignored
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    outs, ws = [], []
    for q, k, v in zip(*(np.split(X @ W, num_heads, 1) for W in (W_q, W_k, W_v))):
        s = np.exp(q @ k.T / np.sqrt(q.shape[1]) - np.max(q @ k.T / np.sqrt(q.shape[1]), 1, keepdims=True))
        ws.append(s / s.sum(1, keepdims=True))
        outs.insert(0, ws[-1] @ v)
    return np.concatenate(outs, 1) @ W_o, np.array(ws)
