# verdict: error|memory|timeout
# kind: source bomb: an expression of 200000 terms for the compiler
# expand: TERMS 200000 x+
x = 1
total = TERMSx


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return total
