"""Only the blocks are frozen; embedding and last norm stay trainable."""

def replace_head(model, classes, last_block=False):
    for p in model.blocks.parameters():
        p.requires_grad = False
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
