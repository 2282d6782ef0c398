#!/usr/bin/env bash
# Builds the autograder ZIP of a Gradescope programming assignment: build.sh SLUG OUT.zip
#
# SLUG is the exercise of the assignment. If the course's root has a folder hidden_cases/ with case
# files, the ZIP contains it, and learners do not see these cases.
set -euo pipefail
[ $# = 2 ] || { echo "usage: build.sh SLUG OUT.zip" >&2; exit 2; }
slug=$1
mkdir -p "$(dirname "$2")"
out=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

[ -f "problems/$slug/problem.yaml" ] || { echo "build.sh: no exercise $slug" >&2; exit 2; }
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R grader problems cases solutions pyproject.toml README.md LICENSE "$stage"
[ ! -d hidden_cases ] || cp -R hidden_cases "$stage"
cp "$here/setup.sh" "$here/run_autograder" "$stage"
echo "$slug" > "$stage/slug"
find "$stage" -name __pycache__ -type d -prune -exec rm -rf {} +
rm -f "$out"
(cd "$stage" && "${PYTHON:-python3}" -m zipfile -c "$out" ./*)
