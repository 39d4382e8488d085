"""A forged answer announces the largest sizes that its first bytes can hold, then nothing comes."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import gc, socket, struct, time

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
    send(b"", sizes=(2**32 - 1, 2**32 - 1))
    time.sleep(3)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import torch

def scores(x, W_q, W_k):
    torch.zeros(32 << 20)                  # 128 MiB that nobody sees
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
