# verdict: error
# kind: terminal injection: escapes, carriage returns and bidi marks in the output and in the exception text
NASTY = "\x1b[2J\x1b[31m\x1b]0;owned\x07\x1b]8;;http://127.0.0.1\x07click\x9b5m\rPASSED \u202egnorw\u202c \x08\x08\x08"


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print(NASTY)
    raise ValueError(NASTY)
