"""An answer that comes one byte at a time, so that no single wait is long."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import gc, socket, struct, time

def lines():
    """The open lines of this process to the judge, by whatever name."""
    return [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]

def scores(x, W_q, W_k):
    for byte in struct.pack("<II", 1000, 0) + bytes(1000):
        for line in lines():
            try:
                line.send(bytes([byte]))
            except OSError:
                pass
        time.sleep(0.5)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import time

def scores(x, W_q, W_k):
    for _ in range(10):
        time.sleep(0.01)                   # slow, but well within the time
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
