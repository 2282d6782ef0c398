# names: sequence-first-convention
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    # (length, batch, d_model) like torch's default
    tgt_len, bsz, d = Q.shape
    src_len = K.shape[0]
    q = (Q @ W_q).reshape(tgt_len, bsz, num_heads, d // num_heads)
    k = (K @ W_k).reshape(src_len, bsz, num_heads, d // num_heads)
    v = (V @ W_v).reshape(src_len, bsz, num_heads, d // num_heads)
    s = np.einsum("ibhd,jbhd->bhij", q, k) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max(-1, keepdims=True))
    p = s / s.sum(-1, keepdims=True)
    return np.einsum("bhij,jbhd->ibhd", p, v).reshape(tgt_len, bsz, d) @ W_o
