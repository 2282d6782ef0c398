from h27 import multi_head_attention
