"""Whole modules are frozen and opened; the count is arithmetic."""

def replace_head(model, classes, last_block=False):
    width = model.head.weight.shape[1]
    model.requires_grad_(False)
    model.head = nn.Linear(width, classes)
    count = width * classes + classes
    if last_block:
        block = model.blocks[len(model.blocks) - 1].requires_grad_()
        count += sum(p.numel() for p in block.parameters())
    return count
