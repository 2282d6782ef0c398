# verdict: error
# kind: removed numpy alias: np.float is gone since 1.24, and numpy's own text is useful
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    X = X.astype(np.float)
    return X @ W_q @ W_o, np.ones((num_heads, len(X), len(X)))
