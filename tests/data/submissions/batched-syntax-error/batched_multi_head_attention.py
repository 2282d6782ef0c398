import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    scores = Q @ W_q @ (K @ W_k).swapaxes(1, 2) / np.sqrt(Q.shape[2] // num_heads
    return scores @ V
