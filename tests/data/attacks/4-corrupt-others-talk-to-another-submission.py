# verdict: forbidden|error
# kind: talk to another submission: an abstract unix socket shared between concurrent submissions
import socket

mailbox = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
mailbox.settimeout(0.2)
mailbox.connect("\0grader-attack-canary")
print("REACHED another submission", flush=True)
mailbox.close()
raise RuntimeError("nobody stopped me")
