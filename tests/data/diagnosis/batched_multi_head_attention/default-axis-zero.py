# names: softmax-over-batch
import numpy as np

def softmax(x, axis=0):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for q, k, v in zip(*(np.dsplit(a @ w, num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        hs.append(softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])) @ v)
    return np.dstack(hs) @ W_o
