# verdict: error
# kind: a traceback of 500 frames whose functions have names of 10000 letters
NAME = "f" * 10_000
exec(f"def {NAME}(n):\n    return {NAME}(n - 1) if n else 1 / 0")


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    globals()[NAME](500)
