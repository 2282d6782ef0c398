"""What a fresh interpreter starts: `python -I -S child.py MODE SITE...`.

MODE is `solo` or `warm`; each SITE is a folder with installed packages, appended to `sys.path`
(`-S` leaves out `.pth` files, which would make this project importable). The child's modules are
imported as a package of their own, so nothing else of the grader is loaded.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

PACKAGE = "_learner_process"


def main() -> None:
    """Import the mode's module and run it; leave no path of the grader to be found by chance."""
    mode, *sites = sys.argv[1:]
    sys.argv[:] = [""]
    sys.orig_argv[:] = [sys.orig_argv[0]]
    sys.path.extend(sites)
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(Path(__file__).resolve().parent)]
    sys.modules[PACKAGE] = package
    module = importlib.import_module(f"{PACKAGE}.{mode}")
    sys.dont_write_bytecode = True  # from here on the learner's files are what is imported
    sys.modules["__main__"] = types.ModuleType("__main__")
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
    sys.path_importer_cache.pop(package.__path__[0], None)
    module.main()


if __name__ == "__main__":
    main()
