from h29 import multi_head_attention
