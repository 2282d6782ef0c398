# verdict: error
# kind: argv leak: entries of sys.argv, sys.orig_argv and sys.path that point to the cases or the repository
# depends: an environment inside the course's folder
import os
import sys

for entry in [*sys.argv, *sys.orig_argv, *sys.path, sys.prefix, os.getcwd()]:
    folder = os.path.abspath(entry)
    while folder != os.path.dirname(folder):
        for name in ("cases", "problems", "solutions"):
            try:
                inside = os.listdir(os.path.join(folder, name))
            except OSError:
                continue
            print("REACHED", os.path.join(folder, name), inside[:3], flush=True)
        folder = os.path.dirname(folder)
raise RuntimeError("that is all they told me")
