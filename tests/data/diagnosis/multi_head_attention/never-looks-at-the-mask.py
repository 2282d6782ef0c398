# names: mask-ignored
import numpy as np

class MultiHeadAttention:
    def __init__(self, num_heads, W_o):
        self.num_heads = num_heads
        self.W_o = W_o

    def attention(self, q, k, v, mask=None):
        scores = q @ k.T / np.sqrt(k.shape[-1])
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        p = e / e.sum(axis=-1, keepdims=True)
        return p @ v, p

    def __call__(self, Q, K, V, mask=None):
        parts = [np.hsplit(M, self.num_heads) for M in (Q, K, V)]
        pairs = [self.attention(q, k, v, mask) for q, k, v in zip(*parts)]
        outs, ws = zip(*pairs)
        return np.hstack(outs) @ self.W_o, np.stack(ws)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return MultiHeadAttention(num_heads, W_o)(X @ W_q, X @ W_k, X @ W_v, mask)
