"""Decides by the parameters' names."""

def replace_head(model, classes, last_block=False):
    setattr(model, "head", nn.Linear(model.head.in_features, classes, bias=True))
    last = f"blocks.{len(model.blocks) - 1}."
    count = 0
    for name, p in model.named_parameters():
        p.requires_grad_(name.startswith("head.") or (last_block and name.startswith(last)))
        if p.requires_grad:
            count += p.nelement()
    return count
