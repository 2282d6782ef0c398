# verdict: error
# kind: an exception whose text has ten million characters, escapes and workflow commands
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise ValueError("\x1b]\n::error::\u00ad\U000e0041" * 500_000)
