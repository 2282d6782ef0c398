# verdict: timeout
# kind: hangs after a printed trace with invented files, functions and escapes
import os

os.write(2, b'Timeout (0:00:02)!\nStack (most recent call first):\n'
            b'  File "/etc/passwd", line 1 in root\n  File "\x1b[2J::error::x", line 999999999 in f\n')


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    while True:
        pass
