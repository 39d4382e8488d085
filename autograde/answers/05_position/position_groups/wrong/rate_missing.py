"""The group of the rest names no rate, so the optimiser takes its own default."""

def position_groups(model: nn.Module, lr: float, factor: float = 10.0):
    parts = [part for part in model.modules() if isinstance(part, OffsetBias)]
    fast = {id(p) for part in parts for p in part.parameters()}
    groups = [[p for p in model.parameters() if (id(p) in fast) == chosen] for chosen in (False, True)]
    return [{"params": groups[0]}, {"params": groups[1], "lr": factor * lr}]
