# verdict: error|memory
# kind: prints the message of a C library that is out of memory, then aborts
import os


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.write(2, b"std::bad_alloc")
    os._exit(1)
