"""Numbers below 1 are not checked."""

def vit_cost(image, patch, heads=1, blocks=1):
    if image % patch:
        raise ValueError("the patch does not divide the image")
    side = image // patch
    tokens = side * side + 1
    return tokens, tokens * tokens * heads * blocks
