from h1 import multi_head_attention
