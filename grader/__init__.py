"""A grading harness for NumPy coding exercises."""

__version__ = "0.1.0"
