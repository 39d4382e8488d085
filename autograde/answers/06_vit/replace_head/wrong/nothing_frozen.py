"""Nothing is frozen; or the attribute, requires_grad, is misspelt."""

def replace_head(model, classes, last_block=False):
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
