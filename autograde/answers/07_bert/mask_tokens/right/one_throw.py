"""One throw decides all: below rate, and where below rate."""

def mask_tokens(ids, words, generator, rate=0.15):
    throw = torch.rand(ids.shape, generator=generator)
    chosen = (throw < rate) & (ids >= 5)
    labels = ids.clone()
    labels[~chosen] = -100
    other = torch.randint(5, words, ids.shape, generator=generator)
    seen = torch.where(chosen & (throw < 0.8 * rate), torch.full_like(ids, MASK), ids)
    return torch.where(chosen & (throw >= 0.8 * rate) & (throw < 0.9 * rate), other, seen), labels
