# verdict: error|forbidden
# kind: an OSError whose number claims to be a refusal by the sandbox, and misbehaves when it is compared
class Number(int):
    def __hash__(self):
        raise SystemExit(0)

    def __eq__(self, other):
        return True


class Evil(OSError):
    errno = Number(1)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise Evil("ha")
