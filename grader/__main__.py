"""`python -m grader`: the same as the command `grader`."""

import os
import sys

_OLDEST = 0x030B0000  # 3.11; linters call a comparison of `sys.version_info` dead code


def run() -> None:
    """Run the command on the command line and end the process with its exit code."""
    if sys.hexversion < _OLDEST:
        version = sys.version.split()[0]
        sys.stderr.write("The grader needs Python 3.11 or newer; this is " + version + "\n")
        sys.exit(2)
    from grader import stopping

    stopping.listen()
    # OpenBLAS reads this when NumPy is imported. The grader compares small arrays; starting a
    # thread for each core takes longer than comparing them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from grader.cli import main

    code = main(sys.argv[1:])
    if sys.argv[1:2] == ["grade"]:
        # All files are closed; unloading the modules would add a tenth to the running time.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    run()
