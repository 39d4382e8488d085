"""Adds head by head."""

def vit_cost(image, patch, heads=1, blocks=1):
    for number in (image, patch, heads, blocks):
        if number <= 0:
            raise ValueError(f"{number} is too small")
    side, rest = divmod(image, patch)
    if rest:
        raise ValueError(f"{rest} pixels are left over")
    tokens = 1 + side**2
    scores = 0
    for _ in range(blocks):
        for _ in range(heads):
            scores += tokens**2
    return tokens, scores
