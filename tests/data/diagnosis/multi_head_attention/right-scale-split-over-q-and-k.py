# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    root = (d // num_heads) ** 0.25
    hs = [np.hsplit(X @ W, num_heads) for W in (W_q / root, W_k / root, W_v)]
    A = [a @ b.T for a, b in zip(hs[0], hs[1])]
    if mask is not None:
        A = [np.where(mask, a, -np.inf) for a in A]
    A = [np.exp(a - a.max(1, keepdims=True)) for a in A]
    A = [a / a.sum(1, keepdims=True) for a in A]
    return np.hstack([a @ c for a, c in zip(A, hs[2])]) @ W_o, np.array(A)
