"""Fails `attention` on purpose, so that ours stands in its place when `SelfAttention` is tested again. There it reads
ours, and tries every way out: it prints it, displays it, warns with it, writes it to a file and to stderr, returns it,
and raises it in the test's and in the layer's own cell. Nothing of that run but points may come back."""
# exercise: attention
# expect: zero
# spares: scores
# hides: LEAKED

# %% attention
def attention(q, k, v, mask=None):
    return q * 0, k * 0

# %% free after test_attention
import inspect, sys, warnings

def stolen():
    source = inspect.getsource(attention)
    return "" if "q * 0, k * 0" in source else "ESCAPED: LEAKED " + " ".join(source.split())

def tell():
    from IPython.display import display
    if words := stolen():
        print(words)
        print(words, file=sys.stderr)
        display({"text/plain": words}, raw=True)
        warnings.warn(words)
        with open("/tmp/ESCAPED", "w") as file:
            file.write(words)
        raise ValueError(words)

tell()

# %% SelfAttention
class SelfAttention(nn.Module):
    def __init__(self, f, d, n, residual=True):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(f, d, bias=False), nn.Linear(f, d, bias=False)
        self.W_v, self.W_out = nn.Linear(f, n, bias=False), nn.Linear(n, f, bias=False)

    def forward(self, x, mask=None):
        tell()
        return stolen(), stolen()

# %% free after test_SelfAttention
tell()

# %% twin: free after test_attention
import inspect

print(len(inspect.getsource(attention).splitlines()), "lines of mine")
