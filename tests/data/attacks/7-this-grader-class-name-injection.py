# verdict: fail|error
# kind: returns an object of a class whose name steers terminals and CI logs
NAME = "\x1b[31mndarray\n::error::owned \u202e</failure>]]>[/red]" + "x" * 100_000
Evil = type(NAME, (), {"__module__": "numpy\x1b[2J"})


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return Evil(), Evil()
