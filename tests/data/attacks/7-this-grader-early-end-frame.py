# verdict: error
# kind: claims at import that the file is loaded and that everything is done
import sys

frame = sys._getframe()
while "send" not in frame.f_locals:
    frame = frame.f_back
protocol = frame.f_globals["protocol"]
frame.f_locals["send"](protocol.encode_frame(protocol.READY, 0, {"warnings": []}))
frame.f_locals["send"](protocol.encode_frame(protocol.END, 0, None))
