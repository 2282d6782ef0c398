# verdict: error
# kind: a syntax error in a line of escapes, tags and workflow commands
x = "[2J::error::‮󠁁­" ) ##[error]
