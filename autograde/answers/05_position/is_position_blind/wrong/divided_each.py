"""Each change was divided by its own answer. One of them may be 0, and 0 / 0 is NaN, which is never larger."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, moved = model(x), 0.0
            for _ in range(tries):
                after = model(x[:, torch.randperm(x.shape[1])])
                moved = max(moved, ((after - before).abs() / before.abs()).max().item())
    finally:
        model.train(mode)
    return moved <= 1e-4
