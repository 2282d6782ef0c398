# verdict: error
# kind: environment secrets: dumps environment variables whose names look secret
import os
import re

for name, value in os.environ.items():
    if re.search("SECRET|TOKEN|KEY|PASSW", name):
        print("REACHED", name, value, flush=True)
raise RuntimeError(f"{len(os.environ)} variables seen")
