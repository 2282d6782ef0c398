"""`python -m grader`: the same as the command `grader`."""

import sys

_OLDEST = 0x030B0000  # 3.11; a comparison of tuples would look like dead code to the linters


def run() -> None:
    """Run the command line's command and end the process with its exit code."""
    if sys.hexversion < _OLDEST:
        version = sys.version.split()[0]
        print("The grader needs Python 3.11 or newer; this is " + version, file=sys.stderr)
        sys.exit(2)
    from grader.cli import main  # what an older Python cannot even read

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
