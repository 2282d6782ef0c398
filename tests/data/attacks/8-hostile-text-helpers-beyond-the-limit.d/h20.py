from h21 import multi_head_attention
