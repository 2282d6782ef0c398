from h20 import multi_head_attention
