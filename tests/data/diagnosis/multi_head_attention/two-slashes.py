# names: scale-floor-division
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    size = d_model // num_heads
    q_all, k_all, v_all = X @ W_q, X @ W_k, X @ W_v
    ctx = np.zeros((n, d_model))
    att = np.zeros((num_heads, n, n))
    start = 0
    for head in range(num_heads):
        end = start + size
        q, k, v = q_all[:, start:end], k_all[:, start:end], v_all[:, start:end]
        score = (q @ k.T) // np.sqrt(size)
        if mask is not None:
            score = np.where(mask, score, float("-inf"))
        e = np.exp(score - np.max(score, axis=1)[:, np.newaxis])
        att[head] = e / np.sum(e, axis=1)[:, np.newaxis]
        ctx[:, start:end] = att[head] @ v
        start = end
    return ctx @ W_o, att
