from h19 import multi_head_attention
