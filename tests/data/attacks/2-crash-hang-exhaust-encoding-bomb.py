# verdict: error
# kind: encoding bomb: lone surrogates and NULs in messages, class names and file names
import sys

sys.stdout.reconfigure(errors="surrogatepass")
NASTY = "\udcff \ud800 \x00 \ufffe \U000e0041 end"
Broken = type("Broken\udcff\x00".replace("\x00", ""), (Exception,), {})


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print(NASTY)
    code = compile("raise error", "file \udcff name.py", "exec")
    exec(code, {"error": Broken(NASTY)})
