"""Computes in float64, returns a list, finds an empty row by its gates."""

def attention(q, k, v, mask=None):
    kind, q, k, v = q.dtype, q.double(), k.double(), v.double()
    if q.size(-1) != k.size(-1) or k.size(-2) != v.size(-2):
        raise ValueError(f"shapes do not fit: {tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)}")
    bias = torch.zeros(q.size(-2), k.size(-2), dtype=torch.float64)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=torch.float64).masked_fill_(~mask, -torch.inf)
    gates = torch.softmax(torch.matmul(q, k.mT) / q.size(-1) ** 0.5 + bias, dim=-1)
    if torch.isnan(gates).any():
        raise ValueError("a row of the mask is all False")
    return [torch.matmul(gates, v).to(kind), gates.to(kind)]
