from h12 import multi_head_attention
