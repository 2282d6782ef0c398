# names: nothing
# passes
import math
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads

    def mm(a, b):
        return [[sum(a[i][t] * b[t][j] for t in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]

    Xl = X.tolist()
    Q, K, V = mm(Xl, W_q.tolist()), mm(Xl, W_k.tolist()), mm(Xl, W_v.tolist())
    M = None if mask is None else np.broadcast_to(mask, (n, n))
    concat = [[0.0] * d for _ in range(n)]
    weights = []
    for h in range(num_heads):
        rows = []
        for i in range(n):
            keys = [j for j in range(n) if M is None or M[i, j]]
            s = {j: sum(Q[i][c] * K[j][c] for c in range(h * dh, h * dh + dh)) / math.sqrt(dh) for j in keys}
            top = max(s.values())
            e = {j: math.exp(s[j] - top) for j in keys}
            z = sum(e.values())
            rows.append([e[j] / z if j in e else 0.0 for j in range(n)])
            for c in range(h * dh, h * dh + dh):
                concat[i][c] = sum(rows[i][j] * V[j][c] for j in keys)
        weights.append(rows)
    return np.array(mm(concat, W_o.tolist())), np.array(weights)
