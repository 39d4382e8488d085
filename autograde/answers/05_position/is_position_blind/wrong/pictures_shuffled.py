"""The pictures of the batch were shuffled. Tokens are dimension 1."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, moved = model(x), 0.0
            for _ in range(tries):
                after = model(x[torch.randperm(len(x))])
                moved = max(moved, (after - before).abs().max().item())
    finally:
        model.train(mode)
    return moved <= 1e-4 * before.abs().max().item()
