"""Multi-head attention. The statement: python -m grader show multi_head_attention"""

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Return (output, weights) of multi-head attention over one sequence.

    X:                   (n, d_model), one token a row
    W_q, W_k, W_v, W_o:  (d_model, d_model)
    num_heads:           divides d_model
    mask:                None, or booleans that broadcast to (n, n); False blocks

    output:              (n, d_model)
    weights:             (num_heads, n, n)
    """
    raise NotImplementedError
