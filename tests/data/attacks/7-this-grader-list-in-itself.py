# verdict: fail|error
# kind: a list that holds itself, and one that is nested 100000 deep
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    ring = []
    ring.append(ring)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return ring, deep
