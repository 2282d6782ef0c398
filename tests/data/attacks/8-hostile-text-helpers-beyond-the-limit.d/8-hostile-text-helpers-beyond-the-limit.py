# verdict: error
# kind: 30 helpers that import each other: at most 20 are read
from h0 import multi_head_attention
