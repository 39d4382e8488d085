"""Heads and blocks are added; every block has all heads."""

def vit_cost(image, patch, heads=1, blocks=1):
    if min(image, patch, heads, blocks) < 1:
        raise ValueError("all numbers must be at least 1")
    if image % patch:
        raise ValueError("the patch does not divide the image")
    side = image // patch
    tokens = side * side + 1
    return tokens, tokens * tokens * (heads + blocks)
