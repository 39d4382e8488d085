"""The other parameters are collected layer by layer. Two layers that share a weight give it twice."""

def position_groups(model, lr, factor=10.0):
    fast = {id(p): p for part in model.modules() if isinstance(part, OffsetBias) for p in part.parameters()}
    rest = [p for part in model.modules() for p in part.parameters(recurse=False) if id(p) not in fast]
    return [{"params": rest, "lr": lr}, {"params": list(fast.values()), "lr": factor * lr}]
