# names: softmax-over-heads
import numpy as np

def softmax(x):
    e = np.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    answer = np.zeros(Q.shape)
    for b in range(Q.shape[0]):
        q, k, v = (np.stack(np.hsplit(x @ w, num_heads)) for x, w in ((Q[b], W_q), (K[b], W_k), (V[b], W_v)))
        s = np.einsum("hid,hjd->hij", q, k) / np.sqrt(q.shape[2])
        p = softmax(s)          # one item at a time: axis 0 it is
        answer[b] = np.hstack(list(p @ v)) @ W_o
    return answer
