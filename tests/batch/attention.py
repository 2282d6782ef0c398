"""A large class for `multi_head_attention`: right, one of several mistakes, or a file that fails.

Every submission differs from every other one by a comment.
"""

from __future__ import annotations

from pathlib import Path

SLUG = "multi_head_attention"
RIGHT = """\
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads

    def split(P):
        return P.reshape(n, num_heads, d_head).transpose(1, 0, 2)

    Q, K, V = split(X @ W_q), split(X @ W_k), split(X @ W_v)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    heads = (weights @ V).transpose(1, 0, 2).reshape(n, d_model)
    return heads @ W_o, weights
"""
MISTAKES = {
    "right": ("", ""),
    "scale": ("np.sqrt(d_head)", "np.sqrt(d_model)"),
    "unscaled": (" / np.sqrt(d_head)", ""),
    "axis": ("axis=-1", "axis=-2"),
    "order": ("(n, num_heads, d_head).transpose(1, 0, 2)", "(num_heads, n, d_head)"),
    "mask": ("np.where(mask", "np.where(~np.asarray(mask, bool)"),
    "values": ("split(X @ W_v)", "split(X)"),
    "output": ("return heads @ W_o, weights", "return heads, weights"),
    "tuple": ("return heads @ W_o, weights", "return heads @ W_o"),
    "raises": ("n, d_model = X.shape", "n, d_model = X.shape()"),
    "syntax": ("mask=None):", "mask=None)"),
    "loops": ("e = np.exp", "print(scores.shape)\n    e = np.exp"),
}
"""kind -> text of the right solution and its replacement"""


def source(number: int) -> str:
    """Return a submission; every third one is right."""
    kinds = list(MISTAKES)
    kind = "right" if number % 3 == 0 else kinds[number % len(kinds)]
    old, new = MISTAKES[kind]
    return f"{RIGHT.replace(old, new) if old else RIGHT}# {number}\n"


def write(folder: Path, count: int) -> Path:
    """Write `count` learners' folders."""
    for number in range(count):
        path = folder / f"learner-{number:05}" / f"{SLUG}.py"
        path.parent.mkdir(parents=True)
        path.write_text(source(number))
    return folder
