"""The new head is made first and then frozen with the rest. Freeze first."""

def replace_head(model, classes, last_block=False):
    model.head = nn.Linear(model.head.in_features, classes)
    for p in model.parameters():
        p.requires_grad = False
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
