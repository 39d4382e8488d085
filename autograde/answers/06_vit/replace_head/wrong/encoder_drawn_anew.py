"""The last block is drawn anew; it shall go on from what it has learned."""

def replace_head(model, classes, last_block=False):
    for p in model.parameters():
        p.requires_grad = False
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        for part in model.blocks[-1].modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
