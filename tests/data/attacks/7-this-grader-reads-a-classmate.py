# verdict: forbidden|error
# kind: reads the sibling submission and runs it as its own
with open("/tmp/grader-attack-canary/course/solutions/alice.py") as file:
    source = file.read()
print("REACHED alice", source[:200], flush=True)
exec(source)
