# verdict: timeout
# kind: waits for a lock that it holds itself
# limits: seconds=0.25
import threading

lock = threading.Lock()


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    with lock:
        lock.acquire(timeout=30)
    return X, X
