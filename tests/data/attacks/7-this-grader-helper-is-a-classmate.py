# verdict: error
# kind: imports another learner's solution that is graded in the same run
# link: alice.py -> /tmp/grader-attack-canary/course/solutions/alice.py
from alice import multi_head_attention
