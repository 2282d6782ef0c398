# verdict: forbidden|error
# kind: privilege escalation: passwordless sudo, as on hosted CI runners
# depends: passwordless sudo
import subprocess

answer = subprocess.run(["sudo", "-n", "id", "-u"], capture_output=True, timeout=1)
if answer.returncode == 0:
    print("REACHED root", flush=True)
raise RuntimeError("sudo said " + repr(answer.stderr))
