# verdict: error
# kind: an exception in a line of a million characters
# expand: LONG 250000 long
x = ("LONG" and 1 / 0)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return x
