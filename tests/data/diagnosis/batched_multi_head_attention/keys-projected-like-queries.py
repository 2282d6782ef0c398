# names: key-uses-wq
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d = Q.shape[2]
    dh = d // num_heads
    out = 0
    for h in range(num_heads):
        wq = W_q[:, dh * h: dh * (h + 1)]
        wk = W_q[:, dh * h: dh * (h + 1)]
        wv = W_v[:, dh * h: dh * (h + 1)]
        wo = W_o[dh * h: dh * (h + 1)]
        s = np.matmul(Q @ wq, np.swapaxes(K @ wk, 1, 2)) / np.sqrt(dh)
        s = np.exp(s - s.max(2, keepdims=True))
        out = out + s / s.sum(2, keepdims=True) @ (V @ wv) @ wo
    return out
