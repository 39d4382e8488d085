"""The first change ends the search; orders by numpy."""

def is_position_blind(model, x, tries=20):
    import numpy as np

    mode, orders = model.training, np.random.default_rng(0)
    model.eval()
    try:
        before = model(x).detach()
        for _ in range(max(tries, 20)):
            order = torch.from_numpy(orders.permutation(x.shape[1]))
            if ((model(x.index_select(1, order)) - before).abs() > 1e-4 * before.abs().max()).any():
                return False
        return True
    finally:
        if mode:
            model.train()
