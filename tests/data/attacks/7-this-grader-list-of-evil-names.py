# verdict: error
# kind: no entry point, but names with escapes, lone surrogates and numbers where the message lists the defined names
def helper():
    pass


names = globals()
names["\x1b[2J\x1b]0;owned\x07"] = names["\n::error::owned"] = names["\udcff[/red]"] = helper
names["a" * 1_000_000] = helper
names[1] = names[None] = helper
