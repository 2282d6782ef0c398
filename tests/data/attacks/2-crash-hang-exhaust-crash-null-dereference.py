# verdict: error
# kind: crash: a null dereference through ctypes
import ctypes


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return ctypes.string_at(0)
