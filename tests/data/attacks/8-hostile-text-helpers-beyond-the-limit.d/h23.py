from h24 import multi_head_attention
