from h16 import multi_head_attention
