from h13 import multi_head_attention
