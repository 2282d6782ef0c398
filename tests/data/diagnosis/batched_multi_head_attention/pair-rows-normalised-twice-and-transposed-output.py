# names: softmax-twice, wo-transposed
import numpy as np

def softmax(s):
    s = np.exp(s - s.max(-1, keepdims=True))
    return s / s.sum(-1, keepdims=True)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (np.stack(np.dsplit(a @ w, num_heads), axis=1) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))
    p = softmax(softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])))
    return np.concatenate(list((p @ v).swapaxes(0, 1)), axis=2) @ W_o.T
