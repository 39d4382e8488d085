"""A forged answer announces a tensor of 4 TiB and brings eight bytes."""
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
    tensor = {"tensor": ["float32", [1 << 20, 1 << 20], 1 << 42]}
    send(msgpack.packb({"tuple": ["ok", {"tuple": [tensor, True]}]}), bytes(8))
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
def scores(x, W_q, W_k):
    return ((x @ W_q.mT) @ (x @ W_k.mT).mT)[None, None, None, None][0, 0, 0, 0]
