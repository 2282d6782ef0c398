# names: split-transposed-0321
import numpy as np

def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    dk = d // num_heads
    nk = K.shape[1]
    Qh = np.dot(Q, W_q).reshape(B, nq, num_heads, dk).transpose(0, 3, 2, 1)
    Kh = np.dot(K, W_k).reshape(B, nk, num_heads, dk).transpose(0, 3, 2, 1)
    Vh = np.dot(V, W_v).reshape(B, nk, num_heads, dk).transpose(0, 3, 2, 1)
    scores = np.matmul(Qh, Kh.transpose(0, 1, 3, 2)) / np.sqrt(dk)
    out = np.matmul(softmax(scores), Vh)
    out = out.transpose(0, 3, 2, 1).reshape(B, nq, d)
    return np.dot(out, W_o)
