"""Classes of any size for the small course's exercise `projection`: many kinds of submissions.

Each file differs from every other one by a comment, unless it is a deliberate copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

RIGHT = (
    "def project(X, W, bias=None):\n"
    "    output = X @ W\n"
    "    return output if bias is None else output + bias\n"
)
NO_BIAS = "def project(X, W, bias=None):\n    return X @ W\n"
ELEMENTWISE = (
    "def project(X, W, bias=None):\n"
    "    output = X * W if X.shape == W.shape else X @ W\n"
    "    return output if bias is None else output + bias\n"
)
WRONG_SHAPE = "def project(X, W, bias=None):\n    return (X @ W).T\n"
RAISES = "def project(X, W, bias=None):\n    print('so far')\n    return X.dott(W)\n"
SYNTAX_ERROR = "def project(X, W, bias=None)\n    return X @ W\n"
NAN = "def project(X, W, bias=None):\n    return X @ W * float('nan')\n"
COMPLEX = "def project(X, W, bias=None):\n    return X @ W + 1j\n"
LEAVES = "import os\n\ndef project(X, W, bias=None):\n    os._exit(0)\n"
MISSING = "def something_else():\n    return 1\n"
STARTER = "def project(X, W, bias=None):\n    raise NotImplementedError\n"
HANGS = "def project(X, W, bias=None):\n    while True:\n        pass\n"

KINDS = {
    "right": RIGHT,
    "no-bias": NO_BIAS,
    "elementwise": ELEMENTWISE,
    "wrong-shape": WRONG_SHAPE,
    "raises": RAISES,
    "syntax-error": SYNTAX_ERROR,
    "nan": NAN,
    "complex": COMPLEX,
    "leaves": LEAVES,
    "missing": MISSING,
    "starter": STARTER,
}


def write(folder: Path, count: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Path:
    """Write `count` learners' folders with different submissions, cycling through the kinds."""
    for number in range(count):
        kind = kinds[number % len(kinds)]
        path = folder / f"learner-{number:05}-{kind}" / "projection.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"{KINDS[kind]}# {number}\n")
    return folder


def write_waiting(folder: Path, names: Iterable[str], signal: Path) -> None:
    """Add learners whose code waits until the file `signal` exists, then returns right values."""
    wait = f"    while not os.path.exists({str(signal)!r}):\n        time.sleep(0.01)\n"
    head, body = RIGHT.split("\n", 1)
    for name in names:
        path = folder / name / "projection.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"import os\nimport time\n\n{head}\n{wait}{body}# {name}\n")
