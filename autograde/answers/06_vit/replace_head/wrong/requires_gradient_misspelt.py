"""The attribute is misspelt, so that nothing is frozen: it is requires_grad."""

def replace_head(model, classes, last_block=False):
    for p in model.parameters():
        p.require_grad = False
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
