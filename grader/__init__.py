"""A grading harness for NumPy coding exercises."""

TYPE_CHECKING = False  # type checkers treat this name as true; importing `typing` costs time
if TYPE_CHECKING:
    from grader.interactive import grade

__all__ = ["__version__", "grade"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `grade` on first use, so that `import grader` stays fast.

    Raises AttributeError for any other name.
    """
    if name == "grade":
        from grader.interactive import grade

        return grade
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
