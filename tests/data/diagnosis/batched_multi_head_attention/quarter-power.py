# names: scale-double-sqrt
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = []
    dk = Q.shape[2] // num_heads
    temperature = np.sqrt(dk)
    for q_b, k_b, v_b in zip(Q @ W_q, K @ W_k, V @ W_v):
        y = np.zeros_like(q_b)
        for h in range(0, num_heads * dk, dk):
            s = q_b[:, h:h + dk] @ k_b[:, h:h + dk].T
            s = s / np.sqrt(temperature)
            s = np.exp(s - s.max(1, keepdims=True))
            y[:, h:h + dk] = s / s.sum(1, keepdims=True) @ v_b[:, h:h + dk]
        out.append(y @ W_o)
    return np.array(out)
