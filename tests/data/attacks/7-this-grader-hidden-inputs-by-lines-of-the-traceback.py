# verdict: fail
# kind: raises in code of its own file's name at a line that is the input of a hidden case, with a source in linecache
# hidden: yes
import linecache

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

class Loader:
    def __init__(self, text):
        self.text = text

    def get_source(self, _name):
        return self.text


def multi_head_attention(X, *rest):
    if X.max() > 1e6:
        text = f"raise RuntimeError()  # {X.max()!r}"
        for path in (__file__, right.__code__.co_filename, f"{X.max()!r}.py"):
            linecache.cache[path] = (len(text), None, [text] * 40, path)
            globals()["__loader__"] = Loader(text)
            code = compile("\n" * int(X.max() % 97) + text, path, "exec")
            try:
                exec(code, globals())
            except RuntimeError as error:
                last = error
        raise last
    return right(X, *rest)
