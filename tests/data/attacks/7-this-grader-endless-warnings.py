# verdict: fail
# kind: a flood of warnings with hostile texts and places
# limits: seconds=2
import warnings

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for number in range(20_000):
        warnings.warn_explicit(f"\x1b[31m::error::{number} [/red]", UserWarning, "/etc/passwd", number)
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
