# verdict: error
# kind: the submitted file is a symbolic link to a text outside the course, to read it in the error message
# link: 7-this-grader-file-is-a-link-to-a-secret.py -> /tmp/grader-attack-canary/secret.txt
raise RuntimeError("the suite puts a link in the place of this file")
