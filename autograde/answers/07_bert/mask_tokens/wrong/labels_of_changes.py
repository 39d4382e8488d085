"""Only words that were changed have a label. A chosen word that stays as it is is guessed, too."""

def mask_tokens(ids, words, generator, rate=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & (ids > 4)
    throw = torch.rand(ids.shape, generator=generator)
    random = torch.randint(5, words, ids.shape, generator=generator)
    seen = ids.clone()
    seen[chosen & (throw < 0.8)] = MASK
    swap = chosen & (throw >= 0.8) & (throw < 0.9)
    seen[swap] = random[swap]
    return seen, torch.where(seen != ids, ids, -100)
