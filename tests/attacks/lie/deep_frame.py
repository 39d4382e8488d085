"""A forged answer is nested half a million lists deep."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import gc, socket, struct

def lines():
    """The open lines of this process to the judge, by whatever name."""
    return [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]

def send(header, blob=b"", sizes=None):
    for line in lines():
        try:
            line.sendall(struct.pack("<II", *(sizes or (len(header), len(blob)))) + header + blob)
        except OSError:
            pass

def scores(x, W_q, W_k):
    send(b"\x91" * 500_000 + b"\xc0")
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
def scores(x, W_q, W_k):
    nested = (x @ W_q.mT) @ (x @ W_k.mT).mT
    for _ in range(1000):
        nested = [nested]                  # deep, and opened again
    while isinstance(nested, list):
        nested = nested[0]
    return nested
