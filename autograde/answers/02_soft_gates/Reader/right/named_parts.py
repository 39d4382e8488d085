"""The parts stand in a dictionary of modules."""

class Reader(nn.Module):
    def __init__(self, f=196, n=8):
        super().__init__()
        self.parts = nn.ModuleDict({"pool": AttentionPool(f, n), "head": nn.Linear(n, 1, bias=False)})

    def forward(self, x):
        pooled, gates = self.parts["pool"](x)
        return self.parts["head"](pooled).view(len(x)), gates
