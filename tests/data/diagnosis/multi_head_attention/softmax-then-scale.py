# names: scale-after-softmax
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, dm = X.shape
    dh = dm // num_heads
    to_heads = lambda A: A.reshape(n, num_heads, dh).swapaxes(0, 1)
    Q, K, V = to_heads(X @ W_q), to_heads(X @ W_k), to_heads(X @ W_v)
    S = np.matmul(Q, np.transpose(K, (0, 2, 1)))
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    S = np.exp(S - np.max(S, axis=-1, keepdims=True))
    A = S / np.sum(S, axis=-1, keepdims=True) / np.sqrt(dh)
    return np.matmul(A, V).swapaxes(0, 1).reshape(n, dm) @ W_o, A
