# verdict: error|forbidden
# kind: leaves a note in scratch folders for its next run, or for a friend's
# runs: 2
import os
import tempfile

NOTE = "grader-attack-canary-note"

refused = None
for place in (os.getcwd(), tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
    name = os.path.join(place, NOTE)
    if os.path.exists(name):
        print("REACHED a note in", place, flush=True)
    try:
        with open(name, "x") as file:
            file.write("the answer to case 3 is 0.5")
    except OSError as error:
        refused = error
raise refused or RuntimeError("notes are everywhere")
