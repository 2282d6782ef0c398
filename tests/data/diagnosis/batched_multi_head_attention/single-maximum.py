# names: softmax-global-max-shift
import numpy as np

def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q, k, v = ((x @ w).reshape(B, -1, num_heads, d // num_heads).swapaxes(1, 2) for x, w in ((Q, W_q), (K, W_k), (V, W_v)))
    p = softmax(np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(d // num_heads))
    return (p @ v).swapaxes(1, 2).reshape(B, n, d) @ W_o
