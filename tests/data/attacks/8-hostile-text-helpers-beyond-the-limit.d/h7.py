from h8 import multi_head_attention
