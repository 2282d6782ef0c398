# names: scale-by-sqrt-seqlen
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    K = np.array(np.hsplit(X @ W_k, num_heads))
    Q = np.array(np.hsplit(X @ W_q, num_heads))
    V = np.array(np.hsplit(X @ W_v, num_heads))
    ws = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        s = Q[h] @ K[h].T / len(K[h]) ** 0.5
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1, keepdims=True))
        ws[h] = s / s.sum(1, keepdims=True)
    return np.hstack([ws[h] @ V[h] for h in range(num_heads)]) @ W_o, ws
