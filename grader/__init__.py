"""A grading harness for NumPy coding exercises."""

TYPE_CHECKING = False  # as type checkers know it, without the import of `typing`
if TYPE_CHECKING:
    from grader.interactive import grade

__all__ = ["__version__", "grade"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `grade` when it is asked for: `import grader` itself must cost nothing."""
    if name == "grade":
        from grader.interactive import grade

        return grade
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
