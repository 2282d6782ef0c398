# verdict: error
# kind: sends that the file could not be loaded, with text that steers the terminal, after it was loaded
import sys


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    while "send" not in caller.f_locals:
        caller = caller.f_back
    protocol = caller.f_globals["protocol"]
    meta = {"kind": "syntax", "message": "\x1b[2J::error::owned", "line": -1, "column": 10**9}
    caller.f_locals["send"](protocol.encode_frame(protocol.REFUSED, 0, meta))
    raise RuntimeError("never mind")
