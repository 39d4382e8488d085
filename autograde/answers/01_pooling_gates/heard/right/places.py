"""Follows the place of each winner through the pools."""

def heard(x, pools):
    B, C, h, w = x.shape
    if pools and (h % 2**pools or w % 2**pools):
        raise ValueError("cannot be halved so often")
    place = torch.arange(h * w, dtype=torch.float64).reshape(1, 1, h, w).expand(B, C, h, w)
    value = x.detach()
    for _ in range(pools):
        value_, gates = max_pool_gated(value, 2)
        place = (windows(place, 2) * gates).sum(-1)
        value = value_
    mask = torch.zeros(B, C, h * w, dtype=x.dtype)
    return mask.scatter(2, place.flatten(2).long(), 1).reshape(x.shape)
