# verdict: error
# kind: empty file: only comments
# I will do this one tomorrow.
