"""argmax was called without dim: one gate is open in the whole tensor. Each row along dim has its own winner."""

def hardmax(v: Tensor, dim: int = -1) -> Tensor:
    gates = torch.zeros_like(v)
    gates.view(-1)[v.argmax()] = 1
    return gates
