from h14 import multi_head_attention
