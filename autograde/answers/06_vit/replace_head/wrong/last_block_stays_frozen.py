"""The last block is only spared from freezing; one that was frozen before stays so."""

def replace_head(model, classes, last_block=False):
    for name, p in model.named_parameters():
        if not (last_block and name.startswith(f"blocks.{len(model.blocks) - 1}.")):
            p.requires_grad = False
    model.head = nn.Linear(model.head.in_features, classes)
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
