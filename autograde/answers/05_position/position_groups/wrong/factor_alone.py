"""The rate of the offset biases is the factor itself. It is factor · lr."""

def position_groups(model: nn.Module, lr: float, factor: float = 10.0):
    parts = [part for part in model.modules() if isinstance(part, OffsetBias)]
    fast = {id(p) for part in parts for p in part.parameters()}
    groups = [[p for p in model.parameters() if (id(p) in fast) == chosen] for chosen in (False, True)]
    return [{"params": group, "lr": rate} for group, rate in zip(groups, (lr, factor), strict=True)]
