from h4 import multi_head_attention
