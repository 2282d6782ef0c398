# verdict: error|fail
# kind: searches every page of the shared memory for inputs while the file loads, where the refusal has a text
# hidden: yes
import gc
import mmap
import sys

import numpy as np


def memories():
    stack = [sys._getframe()]
    while stack:
        frame = stack.pop()
        yield from (value for value in frame.f_locals.values() if isinstance(value, mmap.mmap))
        if frame.f_back:
            stack.append(frame.f_back)
    yield from (value for value in gc.get_objects() if isinstance(value, (bytes, bytearray)))


found = []
for memory in memories():
    numbers = np.frombuffer(memory[: min(len(memory), 2**22) // 8 * 8])
    found += [float(n) for n in numbers if 7e6 < n < 9e6 and n % 1 in (0.25, 0.5)]
if found:
    print("REACHED an input of a hidden case", found, flush=True)
raise ImportError(f"numbers: {found}")
