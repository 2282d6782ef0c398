"""`python -m grader`: the same as the command `grader`."""

import os
import sys

_OLDEST = 0x030B0000  # 3.11; a comparison of tuples would look like dead code to the linters


def run() -> None:
    """Run the command line's command and end the process with its exit code."""
    if sys.hexversion < _OLDEST:
        version = sys.version.split()[0]
        sys.stderr.write("The grader needs Python 3.11 or newer; this is " + version + "\n")
        sys.exit(2)
    # Before NumPy is loaded: the grader compares small arrays, and starting a thread for each core
    # takes longer than all of its work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from grader.cli import main

    code = main(sys.argv[1:])
    if sys.argv[1:2] == ["grade"]:
        # All is written and closed; taking the modules apart would take a tenth of the time again.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    run()
