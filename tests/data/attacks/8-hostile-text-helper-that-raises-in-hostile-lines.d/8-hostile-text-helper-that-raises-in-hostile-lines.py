# verdict: error
# kind: an exception in a helper's line of escapes and workflow commands
import helper


def multi_head_attention(*arguments):
    helper.f()
