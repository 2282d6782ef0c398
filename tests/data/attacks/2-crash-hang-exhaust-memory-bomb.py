# verdict: memory
# kind: memory bomb: a list that doubles until the limit
# limits: seconds=4 total_seconds=8
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    hoard = [0.0]
    while len(hoard) < 400_000_000:
        hoard += hoard
    print("REACHED 3 GiB", flush=True)
    raise RuntimeError("nobody stopped me")
