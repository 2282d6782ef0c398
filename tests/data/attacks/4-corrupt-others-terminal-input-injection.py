# verdict: error|forbidden
# kind: terminal input injection: TIOCSTI and tcsetattr on an inherited terminal (a NUL, and the same attributes)
import fcntl
import os
import termios

refused = None
terminals = [0, 1, 2]
try:
    terminals.append(os.open("/dev/tty", os.O_RDWR))
except OSError as error:
    refused = error
for terminal in terminals:
    try:
        termios.tcsetattr(terminal, termios.TCSANOW, termios.tcgetattr(terminal))
        print("REACHED the terminal's settings", flush=True)
        fcntl.ioctl(terminal, termios.TIOCSTI, b"\0")
        print("REACHED the terminal's input", flush=True)
    except (OSError, termios.error) as error:
        refused = error
raise refused
