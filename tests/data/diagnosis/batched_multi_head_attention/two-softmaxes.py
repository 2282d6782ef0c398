# names: softmax-twice
import numpy as np

def softmax(x):
    return np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))

def scores(q, k):
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]))

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (np.dsplit(a @ w, num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))
    return np.dstack([softmax(scores(a, b)) @ c for a, b, c in zip(q, k, v)]) @ W_o
