# names: softmax-computed-but-raw-used
import numpy as np

def softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    Q, K, V = [np.split(X @ W, num_heads, axis=1) for W in (W_q, W_k, W_v)]
    d_head = X.shape[1] // num_heads
    outputs = []
    attention = []
    for q, k, v in zip(Q, K, V):
        scores = q @ k.T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        attention.append(softmax(scores))
        outputs.append(scores @ v)
    return np.hstack(outputs) @ W_o, np.stack(attention)
