import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = np.einsum("nd,dhk->hnk", X, W_q.reshape(d_model, num_heads, d_head))
    K = np.einsum("nd,dhk->hnk", X, W_k.reshape(d_model, num_heads, d_head))
    V = np.einsum("nd,dhk->hnk", X, W_v.reshape(d_model, num_heads, d_head))
    logits = np.einsum("hik,hjk->hij", Q, K) / np.sqrt(d_head)
    if mask is not None:
        logits = np.where(mask, logits, -1e9)
    logits -= logits.max(-1, keepdims=True)
    A = np.exp(logits)
    A /= A.sum(-1, keepdims=True)
    return np.einsum("hij,hjk,hko->io", A, V, W_o.reshape(num_heads, d_head, d_model)), A
