"""Each pair is counted once, and none of a row with itself. That i asks j and j asks i are two scores, and i asks i, too."""

def vit_cost(image, patch, heads=1, blocks=1):
    if min(image, patch, heads, blocks) < 1:
        raise ValueError("all numbers must be at least 1")
    if image % patch:
        raise ValueError("the patch does not divide the image")
    side = image // patch
    tokens = side * side + 1
    return tokens, tokens * (tokens - 1) // 2 * heads * blocks
