# verdict: error
# kind: the class of the exception raises when the grader asks for its name
class Shy(type):
    @property
    def __name__(cls):
        raise SystemExit(0)


class Evil(Exception, metaclass=Shy):
    def __str__(self):
        raise KeyboardInterrupt


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise Evil
