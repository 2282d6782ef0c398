# verdict: error
# kind: raises a SyntaxError of its own that points into a secret file, with an absurd line
raise SyntaxError("invalid", ("/tmp/grader-attack-canary/secret.txt", 1, 1, "\x1b[2J::error::x"))
