"""What a learner can do about an exception, where the exception's own text does not say it."""

from __future__ import annotations

import re
import sys

from grader.runners.frames import Facts

_UNBALANCED = re.compile(r"^(unmatched|closing parenthesis) |was never closed$")
"""what is wrong in every version of Python"""

_NOTEBOOK = "It looks like a notebook. Export the notebook as a Python file."


def hint(facts: Facts, *, loading: bool) -> str:
    """Return one or two sentences, or nothing; `loading` says the file itself was running."""
    if facts.type_name == "SystemExit":
        return _exit(loading)
    if facts.type_name == "EOFError":
        return "input() waits for a keyboard, and there is none while grading. Remove it."
    if facts.type_name == "ModuleNotFoundError" and facts.missing:
        return _missing(facts.missing)
    if facts.type_name == "AttributeError" and "module 'numpy' has no attribute" in facts.message:
        return "NumPy has removed this name; the plain Python type or another name replaces it."
    if facts.type_name == "RecursionError":
        return "A function calls itself without an end."
    if facts.type_name == "NotImplementedError":
        return "This part is not written yet."
    if facts.kind == "syntax":
        return _syntax(facts)
    return ""


def _exit(loading: bool) -> str:
    if loading:
        return (
            "The file calls exit() while it is loaded. Put what is not part of the function "
            'below `if __name__ == "__main__":`.'
        )
    return "The function calls exit(). Return the answer instead."


def _missing(module: str) -> str:
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names:
        return ""
    return (
        f"{root} is not available while grading: only NumPy, the standard library and files "
        "that were handed in beside this one are."
    )


def _syntax(facts: Facts) -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if "null bytes" in facts.message:
        return "The file holds NUL bytes. Save it again as UTF-8 text."
    if "codec can't decode" in facts.message or "encoding" in facts.message:
        return "Save the file as UTF-8 text."
    if facts.type_name == "TabError":
        return "Indent with spaces only."
    if facts.type_name == "IndentationError" or _UNBALANCED.search(facts.message):
        return ""
    return f"This is Python {version}; newer syntax is not understood."
