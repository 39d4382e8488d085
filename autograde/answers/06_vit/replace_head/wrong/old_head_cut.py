"""The first outputs of the old head are kept. They answer another question: make a new head."""

def replace_head(model, classes, last_block=False):
    for p in model.parameters():
        p.requires_grad = False
    old = model.head
    model.head = nn.Linear(old.in_features, classes)
    n = min(classes, old.out_features)
    model.head.weight.data[:n] = old.weight.data[:n]
    model.head.bias.data[:n] = old.bias.data[:n]
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
