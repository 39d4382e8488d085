"""Chosen by shape: another parameter may have the same one."""

def position_groups(model, lr, factor=10.0):
    shapes = {p.shape for part in model.modules() if isinstance(part, OffsetBias) for p in part.parameters()}
    fast = [p for p in model.parameters() if p.shape in shapes]
    rest = [p for p in model.parameters() if p.shape not in shapes]
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
