# verdict: fail|error
# kind: structured, text, date, void and 64-axes arrays, another one in every case
import itertools

import numpy as np

zoo = itertools.cycle(
    [
        np.zeros(3, dtype=[("a", "f8"), ("b", "O")]),
        np.array(["0.5", "1.0"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.zeros(2, dtype="V1000"),
        np.zeros((1,) * 64),
        np.array([b"1"], dtype="S300000"),
        np.array([1, 2], dtype="m8[s]"),
    ]
)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    animal = next(zoo)
    return animal, animal
