"""Bernoulli draws; the second one halves the rest."""

def mask_tokens(ids, words, generator, rate=0.15):
    chance = torch.full(ids.shape, float(rate)).masked_fill(ids < 5, 0.0)
    chosen = torch.bernoulli(chance, generator=generator).bool()
    masked = torch.bernoulli(torch.full(ids.shape, 0.8), generator=generator).bool() & chosen
    swapped = torch.bernoulli(torch.full(ids.shape, 0.5), generator=generator).bool() & chosen & ~masked
    seen = ids.clone()
    seen[masked] = MASK
    seen[swapped] = torch.randint(5, words, seen[swapped].shape, generator=generator)
    return seen, torch.where(chosen, ids, torch.tensor(-100))
