# verdict: error
# kind: raises a SyntaxError about its own file whose line number has 10000 digits
problem = SyntaxError("invalid", (__spec__.origin, 1, 1, None))
problem.lineno = problem.offset = 1 << 33000
problem.msg = "\x1b[31m" + "A" * 100_000
raise problem
