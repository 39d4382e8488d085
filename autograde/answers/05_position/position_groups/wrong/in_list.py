"""p in list compares tensors number by number with ==. Compare with id(p) or is."""

def position_groups(model, lr, factor=10.0):
    fast = []
    for part in model.modules():
        if isinstance(part, OffsetBias):
            fast += [p for p in part.parameters() if p not in fast]
    rest = [p for p in model.parameters() if p not in fast]
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
