"""A loop over everything: pictures, heads, queries."""

def two_heads_by_hand(x):
    T = x.shape[-2]
    pictures = x.reshape(-1, T, 3)
    joined, gates = pictures.new_zeros(len(pictures), T, 2), pictures.new_zeros(len(pictures), 2, T, T)
    for b, picture in enumerate(pictures):
        for h in range(2):
            for i in range(T):
                e = (2 * picture[i, 0] * picture[:, 1 + h] - (2 * picture[i, 0] * picture[:, 1 + h]).max()).exp()
                gates[b, h, i] = e / e.sum()
                joined[b, i, h] = (gates[b, h, i] * picture[:, 1 + h]).sum()
    lead = x.shape[:-2]
    joined = joined.reshape(*lead, T, 2)
    return joined[..., 0] - joined[..., 1], joined, gates.reshape(*lead, 2, T, T)
