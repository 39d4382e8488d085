"""All shuffled pictures in one batch."""

def is_position_blind(model, x, tries=20):
    was = model.training
    model.eval()
    with torch.inference_mode():
        right = model(x)
        orders = torch.rand(tries, x.shape[1]).argsort(-1)
        shuffled = torch.cat([x[:, order] for order in orders])
        found = model(shuffled).unflatten(0, (tries, len(x)))
    model.train(was)
    return bool((found - right).abs().max() <= 1e-4 * right.abs().max())
