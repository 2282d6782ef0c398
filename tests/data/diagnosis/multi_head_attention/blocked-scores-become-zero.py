# names: mask-fills-zero
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    split = lambda W: np.stack(np.split(X @ W, num_heads, axis=-1), axis=0)
    q, k, v = map(split, (W_q, W_k, W_v))
    s = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(d // num_heads)
    if mask is not None:
        s = np.where(mask, s, 0)
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return np.concatenate(list(w @ v), axis=-1) @ W_o, w
