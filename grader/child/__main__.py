"""The script that a fresh interpreter runs: `python -I -S child/__main__.py MODE WORD SITE...`.

MODE is `pipe`, `zygote` or `examine`. WORD is the grader's process id, the list of a zygote's
descriptors, or a scratch folder.
Each SITE is a folder with installed packages, which is appended to `sys.path`: `-S` skips `.pth`
files, which would make this project importable. The modules of this folder are imported as the
package `_learner_process`, so no other module of the grader is loaded.
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
