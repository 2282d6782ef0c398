# verdict: forbidden|error
# kind: local services: pathname unix sockets, as of an ssh-agent, X11 or a container engine
import socket

with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
    line.settimeout(0.2)
    line.connect("/tmp/grader-attack-canary/agent.sock")
    print("REACHED a local service", flush=True)
raise RuntimeError("nobody stopped me")
