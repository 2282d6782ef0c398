# verdict: error|forbidden
# kind: may it shrink the memory that the grader has mapped, the grader dies of SIGBUS (here to the size that it has)
import os
import stat


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    refused = None
    for descriptor in range(3, 64):
        try:
            size = os.fstat(descriptor)
            os.ftruncate(descriptor, size.st_size)
        except OSError as error:
            refused = error
        else:
            print("REACHED the size of", descriptor, stat.filemode(size.st_mode), flush=True)
    raise refused
