# verdict: pass
# kind: CPU oversubscription: right, but asks for 64 BLAS threads at run time
# limits: seconds=30 total_seconds=60
import ctypes
import glob
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "64"

import numpy as np

for path in glob.glob(os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs", "*openblas*")):
    try:
        ctypes.CDLL(path).scipy_openblas_set_num_threads64_(64)
    except (OSError, AttributeError):
        pass


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    V = (X @ W_v).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights
