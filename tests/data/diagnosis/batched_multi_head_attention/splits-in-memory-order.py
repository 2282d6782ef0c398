# names: split-reshape-without-transpose
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    outs = []
    for q_in, k_in, v_in in zip(Q, K, V):
        q = (q_in @ W_q).reshape(num_heads, q_in.shape[0], -1)
        k = (k_in @ W_k).reshape(num_heads, k_in.shape[0], -1)
        v = (v_in @ W_v).reshape(num_heads, v_in.shape[0], -1)
        parts = []
        for i in range(num_heads):
            s = q[i] @ k[i].T / np.sqrt(q.shape[-1])
            s = np.exp(s - s.max(1, keepdims=True))
            parts.append(s / s.sum(1, keepdims=True) @ v[i])
        outs.append(np.hstack(parts) @ W_o)
    return np.array(outs)
