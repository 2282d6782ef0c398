"""Hints for a learner: how to fix a failure whose own message does not say it."""

from __future__ import annotations

import errno
import re
import shlex
import sys

from grader.model import Failure

_UNBALANCED = re.compile(r"^(unmatched|closing parenthesis) |was never closed$")
"""messages of syntax errors that do not depend on the version of Python"""
_FORBIDDEN = {
    errno.EPERM: "an operation that is not permitted while grading",
    errno.EACCES: "a file or folder that is not available while grading",
    errno.EROFS: "a file to write, which is not available while grading",
    errno.ENETUNREACH: "the network, which is not available while grading",
}
_EXCEPTIONS = {
    "EOFError": "input() waits for a keyboard, and there is none while grading. Remove it.",
    "FileNotFoundError": "A submission runs alone: no other file is available while grading.",
    "RecursionError": "A function calls itself without end.",
    "NotImplementedError": "This part is not written yet.",
}
_POOL = re.compile(r"\b(?:Thread)?Pool\(|\bmultiprocessing\b")
_NO_MULTIPROCESSING = (
    "multiprocessing is not available while grading. For threads, use "
    "concurrent.futures.ThreadPoolExecutor."
)
_UTF_8 = "In your editor: save with the encoding UTF-8."
_FILES = {
    "link": "Replace the link by the file itself.",
    "not_a_file": "Give the path of a .py file.",
    "no_file": "Restore it or write it again.",
    "too_large": "A solution is a few kilobytes: were data saved into it?",
    "utf16": _UTF_8,
    "nul": "Delete the line and type it again, or save the file as UTF-8.",
    "not_utf8": _UTF_8,
    "codec": "Save the file as UTF-8 and delete this line.",
    "notebook_text": "Rename it to .ipynb, or export it as a script.",
    "notebook_unreadable": "Save it again in Jupyter.",
    "notebook_too_deep": "Save it again in Jupyter.",
    "not_a_notebook": "Save it again in Jupyter.",
    "no_cells": "A very old notebook? Open it in Jupyter and save it again.",
    "no_code": "Did you save it?",
    "too_much_code": "Load data from a file.",
}
"""hint by kind of failure, for a file that was not run"""


def hint(failure: Failure) -> str:
    """Return one or two sentences, or ""."""
    match failure.kind:
        case "exception" | "loading":
            return _exception(failure)
        case "syntax":
            return _syntax(failure)
        case "missing":
            return _entry_point(failure)
        case kind:
            return _FILES.get(kind, "")


def _exception(failure: Failure) -> str:
    if "errno" in failure.facts:
        return f"The code asked for {_FORBIDDEN[failure.facts['errno']]}."
    match failure.type_name:
        case "SystemExit":
            return _exit(failure)
        case "ModuleNotFoundError" if "missing" in failure.facts:
            return _module(failure.facts["missing"], failure.facts.get("beside", ""))
        case "AttributeError" if "module 'numpy' has no attribute" in failure.message:
            return "NumPy has removed this name; the plain Python type or another name replaces it."
        case "FileNotFoundError" | "PermissionError" if _POOL.search(_line_of(failure)):
            return _NO_MULTIPROCESSING
        case name:
            return _EXCEPTIONS.get(name, "")


def _line_of(failure: Failure) -> str:
    return failure.frames[-1].text if failure.frames else ""


def _exit(failure: Failure) -> str:
    if failure.kind == "loading":
        return (
            "The file calls exit() while it is loaded. Put code that is not part of the function "
            'below `if __name__ == "__main__":`.'
        )
    return "The function calls exit(). Return the answer instead."


def _module(name: str, beside: str) -> str:
    root = name.partition(".")[0]
    if beside:
        return (
            f"{root}.py lies in the same folder but was not handed in with this file: "
            f"pass --with {shlex.quote(beside)}"
        )
    if root in sys.stdlib_module_names:
        return ""
    return (
        f"{root} is not available while grading: only NumPy, the standard library and files "
        "that were handed in with this one are."
    )


def _syntax(failure: Failure) -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if "null bytes" in failure.message:
        return "The file contains NUL bytes. Save it again as UTF-8 text."
    if "codec can't decode" in failure.message or "encoding" in failure.message:
        return "Save the file as UTF-8 text."
    if failure.type_name == "TabError":
        return "Indent with spaces only."
    if failure.type_name == "IndentationError" or _UNBALANCED.search(failure.message):
        return ""
    return f"This is Python {version}; newer syntax is not understood."


def _entry_point(failure: Failure) -> str:
    facts = failure.facts
    if facts["found"]:
        return ""
    if facts["nearest"]:
        return f"Rename {facts['nearest']} to {facts['entry_point']}."
    if not facts["defined"]:
        return "It defines no function."
    return f"Write a function named {facts['entry_point']}."
