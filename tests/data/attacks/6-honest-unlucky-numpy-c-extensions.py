# verdict: pass
# kind: parts of numpy that load libraries late: linalg, einsum with optimize, strings, polynomial
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    W_q, W_k, W_v = (W.reshape(d_model, num_heads, d_head) for W in (W_q, W_k, W_v))
    scores = np.einsum("ia,ahc,jb,bhc->hij", X, W_q, X, W_k, optimize=True) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    np.linalg.svd(X)
    merged = np.einsum("hij,ja,ahc->ihc", weights, X, W_v, optimize=True).reshape(n, d_model)
    return merged @ W_o, weights
