"""index_select and one subtraction of sums."""

def permute_check(layer, x, perm):
    token = x.dim() - 2
    straight = layer(x)[0]
    crooked = layer(torch.index_select(x, token, perm))[0]
    difference = crooked - straight.index_select(token, perm)
    total = (crooked.sum(token) - straight.sum(token)) / x.shape[token]
    return float(difference.abs().max()), float(total.abs().max())
