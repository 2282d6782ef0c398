from h2 import multi_head_attention
