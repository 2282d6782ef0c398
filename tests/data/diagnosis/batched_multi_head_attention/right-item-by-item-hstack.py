# names: nothing
# passes
import numpy as np

def attend(q, k, v):
    a = q.dot(k.T) / np.sqrt(k.shape[1])
    a = np.exp(a - a.max(axis=1).reshape(-1, 1))
    return (a / a.sum(axis=1).reshape(-1, 1)).dot(v)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = []
    for x, y, z in zip(Q, K, V):
        parts = map(attend, np.hsplit(x @ W_q, num_heads), np.hsplit(y @ W_k, num_heads), np.hsplit(z @ W_v, num_heads))
        out.append(np.hstack(list(parts)) @ W_o)
    return np.stack(out)
