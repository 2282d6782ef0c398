# verdict: forbidden|error
# kind: network: a TCP connection
import socket


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    with socket.create_connection(("127.0.0.1", 47999), timeout=0.2) as line:
        print("REACHED the network", flush=True)
        line.sendall(X.tobytes())
    raise RuntimeError("nobody stopped me")
