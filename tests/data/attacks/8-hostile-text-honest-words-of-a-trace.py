# verdict: pass
# kind: an honest solution whose output of 900 KB repeats the first word of a trace
import numpy as np

print("Stack(" * 150_000)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = ((X @ W).reshape(n, num_heads, d_head).swapaxes(0, 1) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).swapaxes(0, 1).reshape(n, d_model) @ W_o, weights
