"""Each id is compared with all ids; the rows are looked up."""

def embed_one_hot(ids, E):
    count = torch.arange(E.shape[0])
    hits = ids.unsqueeze(-1) == count
    if not hits.any(-1).all():
        raise ValueError("an id without a row")
    return hits.to(E.dtype), E[ids]
