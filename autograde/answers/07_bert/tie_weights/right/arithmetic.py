"""Everything by arithmetic, with a function for a Linear layer."""

def tie_weights(words, scores):
    if words.num_embeddings != scores.out_features or words.embedding_dim != scores.in_features:
        raise ValueError(f"{words} and {scores} do not fit")
    setattr(scores, "weight", words.weight)
    return words.num_embeddings * words.embedding_dim


def bert_parameters(words=30_522, width=768, heads=12, blocks=12, hidden=3_072, pretraining=False, tied=True):
    def linear(a, b):
        return (a + 1) * b

    block = 4 * linear(width, width) + linear(width, hidden) + linear(hidden, width) + 4 * width
    count = width * (words + 512 + 2 + 2) + blocks * block + linear(width, width)
    if pretraining:
        count += linear(width, width) + 2 * width + linear(width, 2)
        count += words if tied else linear(width, words)
    return count
