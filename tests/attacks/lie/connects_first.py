"""A thread connects to every socket file that appears, to be on the line before the agent is, and answers as it
likes."""
# exercise: scores
# expect: zero

# %% free after setup
import glob, os, socket, tempfile, threading, time
import torch
from course_utils import wire

def answer(path):
    try:
        line = socket.socket(socket.AF_UNIX)
        line.connect(path)
        while len(prefix := line.recv(wire.PREFIX.size, socket.MSG_WAITALL)) == wire.PREFIX.size:
            line.recv(sum(wire.frame_sizes(prefix)), socket.MSG_WAITALL)
            line.sendall(wire.encode(("ok", (torch.zeros(4, 4), True))))
    except OSError:
        pass

def watch():
    known, until = set(), time.monotonic() + 20
    places = {".", "/tmp", "/run", tempfile.gettempdir(), os.environ.get("XDG_RUNTIME_DIR", ".")}
    while time.monotonic() < until:
        paths = {path for place in places for path in glob.glob(place + "/**", recursive=True)[:500]}
        for path in paths - known:
            threading.Thread(target=answer, args=(path,), daemon=True).start()
        known |= paths
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
import os, threading, time

def watch():
    """Tells me when my file is there."""
    while not os.path.exists("done.txt"):
        time.sleep(0.01)

threading.Thread(target=watch, daemon=True).start()
open("done.txt", "w").close()
