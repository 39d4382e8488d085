"""The one-hot rows are always float32. They take the type of E."""

def embed_one_hot(ids, E):
    if (ids < 0).any() or (ids >= E.shape[0]).any():
        raise ValueError("an id has no row")
    one_hot = F.one_hot(ids, E.shape[0]).to(E.dtype)
    return one_hot.float(), one_hot.float() @ E.float()
