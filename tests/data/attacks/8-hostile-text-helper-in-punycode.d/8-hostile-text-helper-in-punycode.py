# verdict: error
# kind: a helper in punycode: the codec runs in the child only, under its limits
from helper import multi_head_attention
