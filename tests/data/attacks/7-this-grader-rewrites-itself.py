# verdict: forbidden|error
# kind: replaces its own file in the course, to look innocent after the grading
SOLUTION = "/tmp/grader-attack-canary/course/solutions/mallory.py"

with open(SOLUTION, "w") as file:
    file.write("# I was always this short\n")
print("REACHED", SOLUTION, flush=True)
raise RuntimeError("nobody stopped me")
