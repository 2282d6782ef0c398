from ada import multi_head_attention
