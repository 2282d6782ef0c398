from h11 import multi_head_attention
