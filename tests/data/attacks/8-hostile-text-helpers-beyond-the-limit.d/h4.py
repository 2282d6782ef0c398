from h5 import multi_head_attention
