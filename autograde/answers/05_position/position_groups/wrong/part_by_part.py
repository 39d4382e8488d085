"""Parameters are collected part by part, so a part that two share is collected twice."""

def position_groups(model, lr, factor=10.0):
    fast, rest = [], []
    for _, part in model.named_modules(remove_duplicate=False):
        chosen = fast if isinstance(part, OffsetBias) else rest
        chosen += part.parameters(recurse=False)
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
