from h25 import multi_head_attention
