"""A process of the tested function's connects to the judge again and again, so that hanging up never ends."""
# exercise: scores
# expect: zero

# %% scores
import gc, os, socket, time

def scores(x, W_q, W_k):
    lines = [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]
    paths = set()
    for line in lines:
        try:
            paths.add(line.getpeername())
        except OSError:
            pass
    for _ in range(3):
        if os.fork() == 0:
            until = time.monotonic() + 3
            while time.monotonic() < until:
                for path in paths:
                    try:
                        with socket.socket(socket.AF_UNIX) as line:
                            line.setblocking(False)
                            line.connect(path)
                    except (OSError, TypeError):
                        pass
            os._exit(0)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import os, socket

def scores(x, W_q, W_k):
    for _ in range(50):
        ours, theirs = socket.socketpair()
        ours.close()
        theirs.close()
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
