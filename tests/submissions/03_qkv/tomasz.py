"""Tomasz, a forger: finds the line to the judge in his process and sends it answers of his own: zeros of the right
shape, "untouched", "passed", full points. No points: the judge believes what it has compared, and nothing else."""
# from: release
# expect: scores=0 attention=0 SelfAttention=0 score_statistics=0 gates_for=0 permute_check=0 gate_cost=0 Classifier=0

# %% free after setup
import gc
import socket
import sys
import types

from course_utils import wire


def lines():
    """The open lines of this process to somebody else, by whatever name."""
    found = [thing for thing in gc.get_objects() if type(thing) is socket.socket]
    return [line for line in found if line.family == socket.AF_UNIX and line.fileno() >= 0]


def lie(*values):
    """Send pleasant answers ahead, then patch whatever would send an honest one."""
    words = [("ok", value) for value in (*values, "passed", 100.0, {"points": 100.0, "status": "passed"})]
    for line in lines():
        for word in words:
            try:
                line.sendall(wire.encode(word))
            except OSError:
                pass
    for name, module in list(sys.modules.items()):
        if "agent" in name:
            for key, value in list(vars(module).items()):
                if isinstance(value, types.FunctionType) and "answer" in key:
                    setattr(module, key, lambda *args: wire.encode(words[0]))

# %% scores
def scores(x, W_q, W_k):
    zeros = x.new_zeros(*x.shape[:-1], x.shape[-2])
    lie((zeros, True))
    return zeros

# %% attention
def attention(q, k, v, mask=None):
    out, gates = q.new_zeros(*q.shape[:-1], v.shape[-1]), q.new_full((*q.shape[:-1], k.shape[-2]), 1 / k.shape[-2])
    lie(((out, gates), True))
    return out, gates

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(f, width, bias=False) for width in (d, d, n))
        self.W_out = nn.Linear(n, f, bias=False)

    def forward(self, x, mask=None):
        gates = x.new_full((*x.shape[:-1], x.shape[-2]), 1 / x.shape[-2])
        lie(((x, gates), True))
        return x, gates
