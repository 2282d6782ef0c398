# verdict: error
# kind: a message of tag characters, soft hyphens and marks that hide a text in a report
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise ValueError("all right" + "".join(map(chr, range(0xE0020, 0xE0080))) + "\u00ad\u180e\ufff9\ufffb")
