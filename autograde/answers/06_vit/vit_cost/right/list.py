"""Returns a list, and squares by multiplication."""

def vit_cost(image, patch, heads=1, blocks=1):
    if any(n < 1 for n in [image, patch, heads, blocks]) or (image // patch) * patch != image:
        raise ValueError("does not fit")
    tokens = (image // patch) * (image // patch) + 1
    return [tokens, math.prod([tokens, tokens, heads, blocks])]
