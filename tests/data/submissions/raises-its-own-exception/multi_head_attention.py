class NotDoneYet(Exception):
    """Raised where I still have to think."""


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise NotDoneYet(f"{num_heads} heads?!")
