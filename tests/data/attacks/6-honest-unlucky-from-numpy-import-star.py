# verdict: pass
# kind: from numpy import *: shadows sum, max, any, all and abs in the module
from numpy import *


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = (stack(split(X @ W, num_heads, axis=1)) for W in (W_q, W_k, W_v))
    scores = Q @ K.transpose(0, 2, 1) / sqrt(d_head)
    if mask is not None:
        scores = where(mask, scores, -inf)
    e = exp(scores - max(scores, axis=-1, keepdims=True))
    weights = e / sum(e, axis=-1, keepdims=True)
    assert all(abs(sum(weights, axis=-1) - 1) < 1e-9)
    return concatenate(list(weights @ V), axis=1) @ W_o, weights
