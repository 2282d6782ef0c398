# verdict: error|forbidden
# kind: runs pip at import (here it only asks for its version)
import subprocess
import sys

subprocess.check_call([sys.executable, "-m", "pip", "--isolated", "--version", "--no-such-option"])


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, X
