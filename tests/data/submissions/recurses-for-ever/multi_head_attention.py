def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    output, weights = multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask)
    return output, weights
