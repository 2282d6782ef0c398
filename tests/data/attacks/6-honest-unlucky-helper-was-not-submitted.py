# verdict: error
# kind: imports a helper that was not handed in
import numpy as np
from my_softmax import softmax


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, softmax(X)
