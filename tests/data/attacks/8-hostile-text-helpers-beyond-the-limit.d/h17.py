from h18 import multi_head_attention
