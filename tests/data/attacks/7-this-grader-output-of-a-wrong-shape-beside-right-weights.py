# verdict: fail
# kind: returns right weights and an empty output of many axes, so that nothing of it can be compared
import numpy as np

def right(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    width, weights, heads = X.shape[1] // num_heads, [], []
    for start in range(0, X.shape[1], width):
        q, k, v = (X @ W[:, start : start + width] for W in (W_q, W_k, W_v))
        s = q @ k.T / np.sqrt(width)
        s = s if mask is None else np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(-1, keepdims=True))
        weights.append(e / e.sum(-1, keepdims=True))
        heads.append(weights[-1] @ v)
    return np.hstack(heads) @ W_o, np.stack(weights)

class Pair(tuple):
    def __new__(cls, arguments):
        return super().__new__(cls, (np.zeros((0,) * 8), right(*arguments)[1]))


def multi_head_attention(*arguments):
    return Pair(arguments)
