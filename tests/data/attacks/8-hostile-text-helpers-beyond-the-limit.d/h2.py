from h3 import multi_head_attention
