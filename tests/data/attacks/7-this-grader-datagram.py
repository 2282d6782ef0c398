# verdict: forbidden|error
# kind: a UDP datagram, which Landlock alone does not stop
import socket


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"inputs", ("127.0.0.1", 47999))
        print("REACHED the network", flush=True)
    raise RuntimeError("nobody stopped me")
