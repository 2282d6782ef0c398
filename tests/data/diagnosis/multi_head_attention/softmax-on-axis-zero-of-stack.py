# names: softmax-over-heads
import numpy as np

def softmax(s, axis=0):
    s = s - s.max(axis=axis, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=axis, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    Q = np.stack(np.hsplit(X @ W_q, num_heads))
    K = np.stack(np.hsplit(X @ W_k, num_heads))
    V = np.stack(np.hsplit(X @ W_v, num_heads))
    S = np.einsum("hnd,hmd->hnm", Q, K) / np.sqrt(d // num_heads)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    O = np.concatenate([A[h] @ V[h] for h in range(num_heads)], axis=1)
    return O @ W_o, A
