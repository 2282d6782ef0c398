# verdict: error
# kind: an import statement of 900 KB: each name may be a file beside it
# expand: MORE 180000 q9z, 
import numpy as np, MORE zz9


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X @ W_o, np.ones((num_heads, len(X), len(X))) / len(X)
