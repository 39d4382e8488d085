"""A forged answer holds what msgpack can say and plain data cannot: extension types, timestamps, bytes, odd keys."""
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

odd = [msgpack.ExtType(5, b"x" * 100), msgpack.Timestamp(1), b"\xff", {"dict": [[{"dict": []}, 1]]}]
header = msgpack.packb({"tuple": ["ok", odd]})

def scores(x, W_q, W_k):
    send(header)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import datetime

print(datetime.datetime(2024, 1, 1).isoformat(), bytes(3), {None: 1, (1, 2): 3})
