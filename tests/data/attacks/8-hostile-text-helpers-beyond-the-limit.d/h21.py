from h22 import multi_head_attention
