# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    qkv = X @ np.concatenate([W_q, W_k, W_v], axis=1)
    q, k, v = qkv.reshape(n, 3, num_heads, d // num_heads).transpose(1, 2, 0, 3)
    s = q @ k.transpose(0, 2, 1)
    s *= 1 / np.sqrt(d // num_heads)
    if mask is not None:
        np.copyto(s, -np.inf, where=~np.asarray(mask))
    np.exp(s - s.max(axis=-1, keepdims=True), out=s)
    s /= s.sum(axis=-1, keepdims=True)
    return (s @ v).swapaxes(0, 1).reshape(n, d) @ W_o, s
