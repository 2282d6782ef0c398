# verdict: error|forbidden
# kind: delegation to a ready-made solution: calls a deep learning library instead of implementing attention
try:
    from torch.nn import functional
except ModuleNotFoundError:
    from keras.layers import MultiHeadAttention as functional


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return functional.multi_head_attention_forward(X, X, X, X.shape[1], num_heads)
