# verdict: error
# kind: rich markup, XML, HTML and Markdown in the output and in the exception's text
NASTY = "[/red] [bold]x[/] [link=http://127.0.0.1]y[/link] ]]></failure><script>1</script> | a | b | ``` <!-- &amp; %0A"


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print(NASTY)
    raise KeyError(NASTY)
