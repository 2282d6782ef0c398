# verdict: error
# kind: imports the function that it should define from a module of its own name
# filename: multi_head_attention.py
from multi_head_attention import multi_head_attention
