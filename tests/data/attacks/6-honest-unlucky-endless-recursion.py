# verdict: error
# kind: a plain endless recursion
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask)
