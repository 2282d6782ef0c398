from h9 import multi_head_attention
