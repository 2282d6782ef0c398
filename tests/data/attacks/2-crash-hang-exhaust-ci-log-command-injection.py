# verdict: error
# kind: CI log command injection: workflow commands on stdout and in messages
COMMANDS = (
    "\n::error file=grader/cli.py,line=1::pwned\n::set-output name=grade::100"
    "\n::add-mask::a\n::stop-commands::zzz\n##[error]old style\n##vso[task.complete result=Succeeded;]"
    "\n::notice title=Autograding complete::Points 11/11\n"
)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print(COMMANDS)
    raise ValueError(COMMANDS)
