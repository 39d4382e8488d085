"""Ones are scattered into zeros."""

def embed_one_hot(ids, E):
    for one in ids.flatten().tolist():
        if not 0 <= one < len(E):
            raise ValueError(f"{one} is no row of E")
    empty = torch.zeros(*ids.shape, len(E), dtype=E.dtype)
    empty.scatter_(-1, ids[..., None], 1)
    return empty, torch.matmul(empty, E)
