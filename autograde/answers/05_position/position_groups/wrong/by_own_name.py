"""Chosen by the name of your own parameter. Another part may have one of that name, or none."""

def position_groups(model, lr, factor=10.0):
    fast = [p for name, p in model.named_parameters() if "table" in name]
    rest = [p for name, p in model.named_parameters() if "table" not in name]
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
