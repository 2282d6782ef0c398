# verdict: error
# kind: the submitted file is a symbolic link into the course's own folder
# link: 7-this-grader-file-is-a-link-to-the-reference.py -> /tmp/grader-attack-canary/course/problems/multi_head_attention/reference.py
raise RuntimeError("the suite puts a link in the place of this file")
