# names: softmax-over-everything
import numpy as np

def softmax(z):
    z = np.exp(z - np.max(z))
    return z / np.sum(z)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q = (X @ W_q).reshape(n, num_heads, dh).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, dh).transpose(1, 0, 2)
    V = (X @ W_v).reshape(n, num_heads, dh).transpose(1, 0, 2)
    S = np.matmul(Q, K.transpose(0, 2, 1)) / np.sqrt(dh)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return np.matmul(A, V).transpose(1, 0, 2).reshape(n, d) @ W_o, A
