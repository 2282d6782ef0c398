from h28 import multi_head_attention
