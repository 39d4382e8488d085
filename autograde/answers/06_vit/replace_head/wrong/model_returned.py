"""The model is returned; the number of trainable numbers is asked for."""

def replace_head(model, classes, last_block=False):
    for p in model.parameters():
        p.requires_grad = False
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        for p in model.blocks[-1].parameters():
            p.requires_grad = True
    return model
