# verdict: error|fail
# kind: an audit hook that cannot be removed and refuses every action of the worker
import sys

import numpy as np


def refuse(event, arguments):
    if event in ("open", "import", "os.write", "object.__getattr__", "compile", "exec"):
        raise RuntimeError(event)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    sys.addaudithook(refuse)
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
