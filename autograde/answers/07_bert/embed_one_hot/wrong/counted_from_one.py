"""The ids were counted from 1. Id 0 is the first row."""

def embed_one_hot(ids, E):
    if (ids < 0).any() or (ids >= E.shape[0]).any():
        raise ValueError("an id has no row")
    one_hot = F.one_hot((ids - 1) % len(E), E.shape[0]).to(E.dtype)
    return one_hot, one_hot @ E
