# verdict: error
# kind: no entry point, but ten thousand functions with long hostile names
for number in range(10_000):
    globals()[f"multi_head_attentiom\n::error::{'x' * 500}{number}"] = lambda: None
