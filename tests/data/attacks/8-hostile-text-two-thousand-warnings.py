# verdict: fail|timeout
# kind: a warning with a new text and type for each of 2000 lines
import warnings

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for number in range(2_000):
        kind = type(f"W{number}\n::error::", (UserWarning,), {})
        warnings.warn_explicit("\u202e\U000e0041" * 100 + str(number), kind, "it.py", number + 1)
    return X @ W_o, np.ones((num_heads, len(X), len(X))) / len(X)
