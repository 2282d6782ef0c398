# verdict: error|memory|forbidden
# kind: a thread bomb (here 400 threads that sleep)
import threading
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for _ in range(400):
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
    print("REACHED 400 threads", flush=True)
    raise RuntimeError("nobody stopped me")
