# verdict: forbidden|error
# kind: network: a name look-up through the resolver, which stands for leaking by DNS
import socket


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    answers = socket.getaddrinfo("localhost", 80)
    print("REACHED the resolver", answers[0][4], flush=True)
    raise RuntimeError("nobody stopped me")
