"""A rate for each parameter, then one group for each."""

def position_groups(model, lr, factor=10.0):
    rates = {p: lr for p in model.parameters()}
    for part in model.modules():
        if isinstance(part, OffsetBias):
            rates.update({p: factor * lr for p in part.parameters()})
    return [{"params": [p], "lr": rate} for p, rate in rates.items()]
