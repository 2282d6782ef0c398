# verdict: error
# kind: types and functions whose names consist of invisible characters
NAME = "\u115f\u3164\uffa0"
exec(f"def {NAME}(): raise type({NAME!r}, (Exception,), {{}})({NAME!r} + '\u00ad\ufff9')")


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    globals()[NAME]()
