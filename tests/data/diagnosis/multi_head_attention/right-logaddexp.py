# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    Q, K, V = (np.array(np.array_split(X @ W, num_heads, axis=1)) for W in (W_q, W_k, W_v))
    s = np.matmul(Q, K.transpose(0, 2, 1)) / np.sqrt(d // num_heads)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    a = np.exp(s - np.logaddexp.reduce(s, axis=2, keepdims=True))
    return np.concatenate(list(np.matmul(a, V)), axis=1).dot(W_o), a
