# verdict: error
# kind: traceback lines in the learner's own file with an absurd number and a name full of escapes
def boom():
    raise ValueError("look at my name")


code = boom.__code__.replace(co_name="\x1b[2J\n::error::owned[/red]\udcff", co_firstlineno=2**31 - 9)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    boom.__code__ = code
    boom()
