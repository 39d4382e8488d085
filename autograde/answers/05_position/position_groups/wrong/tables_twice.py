"""The tables are collected part by part. Two parts that share one give it twice."""

def position_groups(model, lr, factor=10.0):
    fast = [p for part in model.modules() if isinstance(part, OffsetBias) for p in part.parameters()]
    ids = {id(p) for p in fast}
    rest = [p for p in model.parameters() if id(p) not in ids]
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
