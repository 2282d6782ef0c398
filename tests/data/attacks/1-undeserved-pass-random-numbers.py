# verdict: fail
# kind: trivial answer: random rows that add up to 1
# met: returns
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    draw = np.random.RandomState(0)
    return draw.normal(size=X.shape), draw.dirichlet(np.ones(n), (num_heads, n))
