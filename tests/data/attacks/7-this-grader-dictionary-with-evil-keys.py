# verdict: fail|error|timeout
# kind: a dictionary whose keys are text that changes, raises and floods when it is read
class Key(str):
    def __str__(self):
        return "\x1b[31m" * 1_000_000

    def __getitem__(self, item):
        return "output"


class Evil(dict):
    def items(self):
        return ((Key(i), self) for i in range(10_000_000))


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return Evil({Key("output"): 1.0, Key("weights"): 2.0})
