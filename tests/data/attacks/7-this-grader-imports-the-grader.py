# verdict: error|forbidden
# kind: imports the grader's own package and asks it where the reference lies
import pathlib

import grader

root = pathlib.Path(grader.__path__[0]).parent
print("REACHED", root, flush=True)
exec((root / "problems" / "multi_head_attention" / "reference.py").read_text())
