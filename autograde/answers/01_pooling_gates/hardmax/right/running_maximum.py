"""Equal values are counted along dim, in place: the gate opens where the count leaves 0."""

def hardmax(v: Tensor, dim: int = -1) -> Tensor:
    top = v.detach().amax(dim, keepdim=True)
    hit = (v.detach() == top).cumsum(dim).clamp(max=1).to(v.dtype)  # 0 0 1 1 1
    out = hit.clone()
    n = v.shape[dim]
    out.narrow(dim, 1, n - 1).sub_(hit.narrow(dim, 0, n - 1))
    return out
