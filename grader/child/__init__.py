"""The code that runs in the same process as a learner's code.

It imports the standard library, NumPy and this package only, so the process holds no other part of
the grader that learner code could read or patch. A fresh interpreter runs `__main__`. The grader's
own process imports `protocol`, `encoding`, `answers`, `calling` and `learner` from here.
"""
