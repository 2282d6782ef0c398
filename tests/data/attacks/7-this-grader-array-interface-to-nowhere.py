# verdict: error|fail
# kind: objects whose __array_interface__, __array_struct__ and __dlpack__ point to nowhere
class Nowhere:
    __array_interface__ = {"version": 3, "shape": (2, 2), "typestr": "<f8", "data": (0xDEAD0000, True)}

    def __dlpack__(self, **options):
        raise SystemExit(0)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return [Nowhere()], [[Nowhere()]]
