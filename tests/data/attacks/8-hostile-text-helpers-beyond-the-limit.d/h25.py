from h26 import multi_head_attention
