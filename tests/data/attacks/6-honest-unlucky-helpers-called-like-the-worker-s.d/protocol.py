def split(x, num_heads):
    n, d_model = x.shape
    return x.reshape(n, num_heads, d_model // num_heads).swapaxes(0, 1)
