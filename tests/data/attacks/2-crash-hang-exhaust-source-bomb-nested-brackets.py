# verdict: error|memory
# kind: source bomb: 100000 nested brackets for the parser
# expand: OPEN 100000 [
# expand: CLOSE 100000 ]
nest = OPENCLOSE


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return nest
