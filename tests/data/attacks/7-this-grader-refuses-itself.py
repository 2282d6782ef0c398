# verdict: error
# kind: sends that the file could not be loaded, with text that steers the terminal, after it was loaded
import sys


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    channel = caller.f_globals["channel"]
    meta = {"kind": "syntax", "message": "\x1b[2J::error::owned", "line": -1, "column": 10**9}
    caller.f_locals["send"](channel.encode_frame(channel.REFUSED, 0, meta))
    raise RuntimeError("never mind")
