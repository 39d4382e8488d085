"""A forged answer holds a tensor with fewer bytes than its shape needs."""
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
    send(msgpack.packb({"tuple": ["ok", {"tuple": [{"tensor": ["float32", [4, 4], 64]}, True]}]}), bytes(8))
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    result = torch.zeros(*x.shape[:-1], x.shape[-2] + 1, dtype=x.dtype)
    result[..., :-1] = (x @ W_q.mT) @ (x @ W_k.mT).mT
    return result[..., :-1]                # a view into a larger tensor
