from h17 import multi_head_attention
