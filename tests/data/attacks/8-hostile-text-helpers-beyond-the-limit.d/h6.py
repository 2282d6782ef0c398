from h7 import multi_head_attention
