"""One power, all in one line."""

def vit_cost(image, patch, heads=1, blocks=1):
    if image < 1 or patch < 1 or heads < 1 or blocks < 1 or image % patch != 0:
        raise ValueError("sizes do not fit")
    tokens = pow(image // patch, 2) + 1
    return (tokens, heads * blocks * pow(tokens, 2))
