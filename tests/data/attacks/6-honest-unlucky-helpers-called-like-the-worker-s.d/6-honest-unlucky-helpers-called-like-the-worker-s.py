# verdict: pass
# kind: helpers beside the submission are called like the worker's own modules
import answers
import protocol
import numpy as np
from worker import scale


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    Q, K, V = (protocol.split(X @ W, num_heads) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) * scale(d_model // num_heads)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = answers.softmax(scores)
    return (weights @ V).swapaxes(0, 1).reshape(n, d_model) @ W_o, weights
