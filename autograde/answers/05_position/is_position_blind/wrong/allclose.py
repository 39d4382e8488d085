"""torch.allclose has an atol of 1e-8, a fixed tolerance: it swallows every change of a small answer."""

def is_position_blind(model: nn.Module, x: Tensor, tries: int = 20):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            before, blind = model(x), True
            for _ in range(tries):
                after = model(x[:, torch.randperm(x.shape[1])])
                blind = blind and torch.allclose(after, before, rtol=1e-4)
    finally:
        model.train(mode)
    return blind
