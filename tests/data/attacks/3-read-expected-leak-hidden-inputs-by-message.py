# verdict: error
# kind: leak hidden inputs by message: puts the inputs into the exception text
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print("my notes", X.tolist())
    raise ValueError(f"X was {X.tolist()} and the mask {mask}")
