"""The tokens move in a ring, so neighbours stay neighbours. Shuffle at random."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, moved = model(x), 0.0
            for step in range(tries):
                after = model(x.roll(step, 1))
                moved = max(moved, (after - before).abs().max().item())
    finally:
        model.train(mode)
    return moved <= 1e-4 * before.abs().max().item()
