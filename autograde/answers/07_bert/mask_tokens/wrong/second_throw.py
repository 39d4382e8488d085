"""[MASK] is thrown for, then the random word with a second throw of .1: 2 % instead of 10 %."""

def mask_tokens(ids, words, generator, rate=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids > 4)
    throw = torch.rand(ids.shape, generator=generator)
    random = torch.randint(5, words, ids.shape, generator=generator)
    labels = torch.where(chosen, ids, -100)
    seen = ids.clone()
    seen[chosen & (throw < 0.8)] = MASK
    swap = chosen & (throw >= 0.8) & (torch.rand(ids.shape, generator=generator) < 0.1)
    seen[swap] = random[swap]
    return seen, labels
