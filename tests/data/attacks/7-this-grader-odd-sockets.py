# verdict: forbidden|error
# kind: netlink, packet, kernel crypto and VM sockets
import socket

FAMILIES = {"netlink": (16, 3), "packet": (17, 3), "kernel crypto": (38, 5), "vm": (40, 1)}

refused = None
for name, (family, kind) in FAMILIES.items():
    try:
        socket.socket(family, kind).close()
    except OSError as error:
        refused = error
    else:
        print("REACHED", name, flush=True)
raise refused or RuntimeError("nobody stopped me")
