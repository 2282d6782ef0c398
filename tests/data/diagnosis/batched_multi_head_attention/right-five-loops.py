# names: nothing
# passes
import math
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    nk = K.shape[1]
    dk = d // num_heads
    out = np.zeros((B, nq, d))
    for b in range(B):
        q, k, v = np.dot(Q[b], W_q), np.dot(K[b], W_k), np.dot(V[b], W_v)
        for i in range(nq):
            concat = []
            for h in range(num_heads):
                c = range(h * dk, (h + 1) * dk)
                s = [sum(q[i, x] * k[j, x] for x in c) / math.sqrt(dk) for j in range(nk)]
                e = [math.exp(x - max(s)) for x in s]
                concat += [sum(e[j] * v[j, x] for j in range(nk)) / sum(e) for x in c]
            out[b, i] = np.dot(concat, W_o)
    return out
