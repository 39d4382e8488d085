"""A head with as many classes is kept. New labels need a new head, however many."""

def replace_head(model, classes, last_block=False):
    for p in model.parameters():
        p.requires_grad = False
    if model.head.out_features != classes:
        model.head = nn.Linear(model.head.in_features, classes)
    model.head.requires_grad_(True)
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
