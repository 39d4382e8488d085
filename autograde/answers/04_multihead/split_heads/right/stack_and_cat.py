"""Slices, stacked; pieces, joined by cat."""

def split_heads(x, heads):
    width, rest = divmod(x.shape[-1], heads) if heads > 0 else (0, 1)
    if rest:
        raise ValueError(f"heads = {heads} does not fit D = {x.shape[-1]}")
    return torch.stack([x[..., h * width : (h + 1) * width] for h in range(heads)], dim=-3)


def merge_heads(x):
    return torch.cat([x[..., h, :, :] for h in range(x.shape[-3])], dim=-1)
