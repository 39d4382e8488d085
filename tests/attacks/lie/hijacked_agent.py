"""The tested function never returns: it takes over the line to the judge and answers every later request itself, with
zeros of the right shape and a yes."""
# exercise: scores
# expect: zero

# %% scores
import gc, socket
import torch
from course_utils import wire

def scores(x, W_q, W_k):
    zeros = 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT
    lines = [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]
    line = next((line for line in lines if line.getpeername()), None)
    while line:
        line.sendall(wire.encode(("ok", (zeros, True))))
        prefix = line.recv(wire.PREFIX.size, socket.MSG_WAITALL)
        if len(prefix) < wire.PREFIX.size:
            break
        request = wire.decode(prefix + line.recv(sum(wire.frame_sizes(prefix)), socket.MSG_WAITALL))
        if request[0] == "call":
            zeros = torch.zeros(*request[2][0].shape[:-1], request[2][0].shape[-2], dtype=request[2][0].dtype)
    return zeros

# %% twin: scores
import torch

def pictures(x):
    """A generator that hands out one picture after the other."""
    while len(x):
        yield x[0]
        x = x[1:]

def scores(x, W_q, W_k):
    if x.dim() == 2:
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
    return torch.stack([scores(picture, W_q, W_k) for picture in pictures(x)])
