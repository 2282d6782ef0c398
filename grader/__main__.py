"""`python -m grader`: the same as the command `grader`."""

import sys

from grader.cli import main


def run() -> None:
    """Run the command line's command and end the process with its exit code."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
