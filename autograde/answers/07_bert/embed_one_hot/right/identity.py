"""Rows of the identity matrix."""

def embed_one_hot(ids, E):
    V = len(E)
    if ids.min() < 0 or ids.max() >= V:
        raise ValueError(f"ids must be 0 to {V - 1}")
    rows = torch.eye(V, dtype=E.dtype)[ids]
    return rows, torch.einsum("...v,vd->...d", rows, E)
