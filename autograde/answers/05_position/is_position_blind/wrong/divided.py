"""Divided by the largest answer, which may be 0: then 0 / 0 is NaN."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, moved = model(x), 0.0
            for _ in range(tries):
                after = model(x[:, torch.randperm(x.shape[1])])
                moved = max(moved, (after - before).abs().max().item())
    finally:
        model.train(mode)
    return bool(torch.tensor(moved) / before.abs().max() <= 1e-4)
