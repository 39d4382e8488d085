"""A forged answer holds a tensor whose type is the name of something else in torch."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import gc, socket, struct
import msgpack

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
    send(msgpack.packb({"tuple": ["ok", {"tuple": [{"tensor": ["load", [1], 4]}, True]}]}), bytes(4))
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
def scores(x, W_q, W_k):
    wide = x.double()                      # computes in another type, answers in the one that came
    return ((wide @ W_q.double().mT) @ (wide @ W_k.double().mT).mT).to(x.dtype)
