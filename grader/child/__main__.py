"""What a fresh interpreter starts: `python -I -S child/__main__.py MODE WORD SITE...`.

MODE is `pipe` or `zygote`, WORD its descriptors; each SITE is a folder with installed
packages, appended to `sys.path` (`-S` leaves out `.pth` files, which would make this project
importable). The child's modules are imported as a package of their own, so nothing else of the
grader is loaded.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

_PACKAGE = "_learner_process"


def main() -> None:
    """Import the mode's module and run it."""
    mode, word, *sites = sys.argv[1:]
    sys.argv[:] = [""]
    sys.orig_argv[:] = [sys.orig_argv[0]]
    sys.path.extend(sites)
    package = types.ModuleType(_PACKAGE)
    package.__path__ = [str(Path(__file__).resolve().parent)]
    sys.modules[_PACKAGE] = package
    module = importlib.import_module(f"{_PACKAGE}.{mode}")
    module.main(word)


if __name__ == "__main__":
    main()
