"""By the full names of the parameters below each OffsetBias."""

def position_groups(model, lr, factor=10.0):
    fast = set()
    for name, part in model.named_modules():
        if isinstance(part, OffsetBias):
            fast |= {f"{name}.{own}" if name else own for own, _ in part.named_parameters()}
    slow_ones = [p for name, p in model.named_parameters() if name not in fast]
    fast_ones = [p for name, p in model.named_parameters() if name in fast]
    groups = [{"params": slow_ones, "lr": lr}]
    return groups + ([{"params": fast_ones, "lr": lr * factor}] if fast_ones else [])
