# verdict: error|forbidden
# kind: inode fill: creates thousands of empty files (here 1000, removed at once)
import os
import tempfile

refused = None
for place in (os.getcwd(), "/tmp", "/dev/shm"):
    try:
        folder = tempfile.mkdtemp(dir=place)
        break
    except OSError as error:
        refused = error
else:
    raise refused
made = 0
try:
    for made in range(1000):
        open(os.path.join(folder, str(made)), "x").close()
finally:
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)
print("REACHED", made + 1, "files", flush=True)
raise RuntimeError("nobody stopped me")
