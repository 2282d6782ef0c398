"""Everything that runs beside a learner's code, in its process.

It uses the standard library and NumPy only, and imports nothing else of this package, so nothing
of the grader can be stolen, patched or forged there. `__main__` is what a fresh interpreter
starts; the grader's side imports `protocol`, `encoding` and `answers` from here.
"""
