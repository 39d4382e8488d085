"""Both projections with einsum; match chooses the function."""

def glu(x, W, V, kind="glu"):
    a = torch.einsum("...f,nf->...n", x, W)
    b = torch.einsum("...f,nf->...n", x, V)
    match kind:
        case "glu":
            gate = 1 / (1 + torch.exp(-a))
        case "swiglu":
            gate = F.silu(a)
        case "reglu":
            gate = torch.relu(a)
        case "bilinear":
            gate = a
        case _:
            raise ValueError(f"unknown kind {kind}")
    return gate * b
