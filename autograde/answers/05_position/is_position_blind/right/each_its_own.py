"""Each picture has an order of its own."""

def is_position_blind(model, x, tries=20):
    mode = model.training
    model.train(False)
    with torch.no_grad():
        before = model(x)
        limit = 1e-4 * before.abs().amax()
        blind = True
        for _ in range(tries):
            order = torch.rand(x.shape[:2]).argsort(1)
            shuffled = x.gather(1, order[..., None].expand_as(x))
            blind = blind and not ((model(shuffled) - before).abs() > limit).any().item()
    model.train(mode)
    return blind
