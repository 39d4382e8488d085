"""One block is built and counted, the rest multiplied."""

def tie_weights(words, scores):
    if words.weight.size() != scores.weight.size():
        raise ValueError("shapes differ")
    del scores.weight
    scores.register_parameter("weight", words.weight)
    return words.weight.nelement()


def bert_parameters(words=30_522, width=768, heads=12, blocks=12, hidden=3_072, pretraining=False, tied=True):
    def size(module):
        return sum(p.numel() for p in module.parameters())

    with torch.device("meta"):
        total = size(BertEmbedding(words, 512, 2, width)) + size(nn.Linear(width, width))
        total += blocks * size(BertBlock(width, heads, hidden))
        if pretraining:
            total += size(nn.Linear(width, width)) + size(nn.LayerNorm(width)) + size(nn.Linear(width, 2))
            total += words + (0 if tied else words * width)
    return total
