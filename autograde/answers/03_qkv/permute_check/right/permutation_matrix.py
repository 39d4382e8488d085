"""A permutation matrix, made by a loop, on both sides."""

def permute_check(layer, x, perm):
    T = x.shape[-2]
    P = torch.zeros(T, T, dtype=x.dtype)
    for place, token in enumerate(perm.tolist()):
        P[place, token] = 1
    ones = torch.full((1, T), 1 / T, dtype=x.dtype)
    before, after = P @ layer(x)[0], layer(P @ x)[0]
    return [(a - b).abs().amax().item() for a, b in ((after, before), (ones @ after, ones @ before))]
