# verdict: error|forbidden
# kind: disk fill: writes large files in every writable place (here 64 MiB at most, removed at once)
import os
import tempfile

PLACES = [os.getcwd(), tempfile.gettempdir, "/tmp", "/var/tmp", "/dev/shm"]


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    refused, written, names = None, 0, []
    try:
        for place in PLACES * 2:
            try:
                name = os.path.join(place() if callable(place) else place, f"fill-{os.getpid()}-{written}")
                with open(name, "xb") as file:
                    names.append(name)
                    written += file.write(bytes(8 * 2**20))
            except OSError as error:
                refused = error
            if written >= 64 * 2**20:
                break
    finally:
        for name in names:
            os.unlink(name)
    if written:
        print("REACHED", written // 2**20, "MiB of disk", flush=True)
    raise refused or RuntimeError("nobody stopped me")
