from h23 import multi_head_attention
