"""chunk and unbind."""

def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads > 0:
        raise ValueError(f"{heads} and {x.shape[-1]} do not fit")
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)


def merge_heads(x):
    return torch.concat(x.unbind(dim=-3), dim=-1)
