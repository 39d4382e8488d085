"""The model is built on the meta device and counted."""

def tie_weights(words, scores):
    table = words.weight
    if tuple(scores.weight.shape) != tuple(table.shape):
        raise ValueError("these cannot be one table")
    scores.weight = table
    V, D = table.shape
    return V * D


def bert_parameters(words=30_522, width=768, heads=12, blocks=12, hidden=3_072, pretraining=False, tied=True):
    with torch.device("meta"):
        model = nn.ModuleDict({"embedding": BertEmbedding(words, 512, 2, width), "pooler": nn.Linear(width, width)})
        for i in range(blocks):
            model[f"block{i}"] = BertBlock(width, heads, hidden)
        if pretraining:
            model["transform"], model["norm"] = nn.Linear(width, width), nn.LayerNorm(width)
            model["scores"], model["pair"] = nn.Linear(width, words), nn.Linear(width, 2)
            if tied:
                tie_weights(model["embedding"].words, model["scores"])
    return sum(p.numel() for p in set(model.parameters()))
