from h6 import multi_head_attention
