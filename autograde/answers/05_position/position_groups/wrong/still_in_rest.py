"""The offset biases are in the group of the rest, too. Each parameter belongs to one."""

def position_groups(model, lr, factor=10.0):
    fast = [p for part in model.modules() if isinstance(part, OffsetBias) for p in part.parameters()]
    return [{"params": list(model.parameters()), "lr": lr}, {"params": fast, "lr": factor * lr}]
