"""Multi-head attention for a batch.

The statement: python -m grader show batched_multi_head_attention
"""

import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    """Return multi-head attention as a float64 array (batch, query_length, d_model).

    Q:                   (batch, query_length, d_model)
    K, V:                (batch, key_length, d_model)
    W_q, W_k, W_v, W_o:  (d_model, d_model)
    num_heads:           divides d_model
    """
    raise NotImplementedError
