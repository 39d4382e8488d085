"""The line to the judge is shut down in the middle of a call; other lines of the process as well."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import gc, socket

def lines():
    """The open lines of this process to the judge, by whatever name."""
    return [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]

def scores(x, W_q, W_k):
    for line in lines():
        try:
            line.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import socket

line = socket.socket(socket.AF_UNIX)       # my own
line.close()
