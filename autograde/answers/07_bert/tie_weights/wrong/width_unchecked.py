"""Only the number of words is compared. The width counts, too."""

def tie_weights(words, scores):
    if words.weight.numel() != scores.weight.numel():
        raise ValueError("the tables differ in shape")
    scores.weight = words.weight
    return words.weight.numel()


def bert_parameters(words=30_522, width=768, heads=12, blocks=12, hidden=3_072, pretraining=False, tied=True):
    attention = 4 * (width * width + width)
    mlp = width * hidden + hidden + hidden * width + width
    norms = 2 * 2 * width
    total = (words + 512 + 2) * width + 2 * width
    total += blocks * (attention + mlp + norms)
    total += width * width + width
    if pretraining:
        total += width * width + width + 2 * width
        total += words
        total += 2 * width + 2
        if not tied:
            total += words * width
    return total
