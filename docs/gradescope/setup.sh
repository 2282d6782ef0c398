#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: /autograder/source/setup.sh
set -euo pipefail
cd "$(dirname "$0")"

new_enough() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'; }

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" > /dev/null && new_enough "$candidate" 2> /dev/null; then
            echo "$candidate"
            return
        fi
    done
}

python=$(find_python)
if [ -z "$python" ]; then # Ubuntu 22.04 has Python 3.10 by default and offers 3.11
    apt-get update
    apt-get install -y --no-install-recommends python3-venv python3.11 python3.11-venv
    python=$(find_python)
fi
"$python" -m venv ../venv
../venv/bin/python -m pip install --quiet --disable-pip-version-check .
# For the log of the build: what will confine submissions. Without it none is run.
../venv/bin/python -m grader doctor || true
