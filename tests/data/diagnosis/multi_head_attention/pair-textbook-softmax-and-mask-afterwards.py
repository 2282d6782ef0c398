# names: softmax-no-max-shift, mask-after-softmax-no-renorm
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    outs, ws = [], []
    for q, k, v in zip(*(np.split(X @ W, num_heads, 1) for W in (W_q, W_k, W_v))):
        w = np.exp(q @ k.T / np.sqrt(q.shape[1]))
        w = w / w.sum(1, keepdims=True)
        if mask is not None:
            w = np.where(mask, w, 0)
        ws.append(w)
        outs.append(w @ v)
    return np.concatenate(outs, 1) @ W_o, np.array(ws)
