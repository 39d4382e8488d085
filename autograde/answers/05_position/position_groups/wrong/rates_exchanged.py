"""The two rates are exchanged: the offset biases get the larger one."""

def position_groups(model: nn.Module, lr: float, factor: float = 10.0):
    parts = [part for part in model.modules() if isinstance(part, OffsetBias)]
    fast = {id(p) for part in parts for p in part.parameters()}
    groups = [[p for p in model.parameters() if (id(p) in fast) == chosen] for chosen in (False, True)]
    return [{"params": group, "lr": rate} for group, rate in zip(groups, (factor * lr, lr), strict=True)]
