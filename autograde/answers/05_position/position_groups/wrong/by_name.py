"""Chosen by the name: nn.Linear has parameters named bias, too. Go by the class of the part."""

def position_groups(model, lr, factor=10.0):
    fast = [p for name, p in model.named_parameters() if "bias" in name]
    rest = [p for name, p in model.named_parameters() if "bias" not in name]
    return [{"params": rest, "lr": lr}, {"params": fast, "lr": factor * lr}]
