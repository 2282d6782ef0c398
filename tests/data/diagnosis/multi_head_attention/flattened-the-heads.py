# names: merge-reshape-without-transpose
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    seq, width = X.shape
    head = width // num_heads
    q = np.array(np.split(X @ W_q, num_heads, axis=-1))
    k = np.array(np.split(X @ W_k, num_heads, axis=-1))
    v = np.array(np.split(X @ W_v, num_heads, axis=-1))
    logits = np.einsum('hqd,hkd->hqk', q, k) * head ** -0.5
    if mask is not None:
        logits = logits + np.where(mask, 0.0, -1e9)
    probs = np.exp(logits - logits.max(-1, keepdims=True))
    probs = probs / probs.sum(-1, keepdims=True)
    context = np.einsum('hqk,hkd->hqd', probs, v)
    # back to (n, d_model)
    context = context.reshape(seq, width)
    return context @ W_o, probs
