"""Nothing checks that the patch divides the image."""

def vit_cost(image, patch, heads=1, blocks=1):
    if min(image, patch, heads, blocks) < 1:
        raise ValueError("all numbers must be at least 1")
    side = image // patch
    tokens = side * side + 1
    return tokens, tokens * tokens * heads * blocks
