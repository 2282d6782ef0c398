from h10 import multi_head_attention
