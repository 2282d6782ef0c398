# verdict: pass
# kind: masked arrays for the mask, nothing masked in the returned value
import numpy as np
import numpy.ma as ma


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = (np.stack(np.split(X @ W, num_heads, axis=1)) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(d_head)
    blocked = np.zeros(scores.shape, bool) if mask is None else np.broadcast_to(~mask, scores.shape)
    scores = ma.masked_array(scores, mask=blocked)
    e = ma.exp(scores - scores.max(axis=-1, keepdims=True)).filled(0.0)
    weights = ma.masked_array(e / e.sum(axis=-1, keepdims=True))
    return np.concatenate(list(weights.data @ V), axis=1) @ W_o, weights
