# names: softmax-shift-clipped-at-zero
import numpy as np

def softmax_list(row):
    top = 0
    for x in row:
        top = max(top, x)
    e = np.exp(np.array(row) - top)
    return e / e.sum()

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for q, k, v in zip(*(np.dsplit(a @ w, num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
        p = np.apply_along_axis(softmax_list, 2, s)
        hs.append(p @ v)
    return np.dstack(hs) @ W_o
