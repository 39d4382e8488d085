"""All chosen words become [MASK]. Of ten, one becomes a random word and one stays."""

def mask_tokens(ids, words, generator, rate=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids > 4)
    throw = torch.rand(ids.shape, generator=generator)
    random = torch.randint(5, words, ids.shape, generator=generator)
    labels = torch.where(chosen, ids, -100)
    seen = ids.clone()
    seen[chosen & (throw < 2)] = MASK
    swap = chosen & (throw > 2)
    seen[swap] = random[swap]
    return seen, labels
