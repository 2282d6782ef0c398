# verdict: fail
# kind: global state for the next submission: seterr, seeds, print options and a patched np.exp must not outlive it
import os
import warnings

import numpy as np

np.seterr(all="raise")
np.random.seed(0)
np.set_printoptions(precision=1, threshold=1)
warnings.simplefilter("error")
os.environ["PYTHONSTARTUP"] = "/tmp/grader-attack-canary/drop/startup.py"
os.umask(0o777)
np.exp = np.sin
np.ndarray.setflags
np.matmul = lambda a, b: a


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
