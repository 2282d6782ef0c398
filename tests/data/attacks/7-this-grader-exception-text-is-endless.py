# verdict: error|memory
# kind: the text of an exception has 50 MB and its chain of causes is a ring
class Evil(Exception):
    def __str__(self):
        return "\x1b[31mA" * 8_000_000


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    first, second = Evil(), Evil()
    first.__cause__, second.__cause__ = second, first
    raise first
