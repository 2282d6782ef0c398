from h15 import multi_head_attention
