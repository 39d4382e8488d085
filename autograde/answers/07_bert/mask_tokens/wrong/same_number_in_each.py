"""Each sentence hides the same number of words. Choose each word independently."""

def mask_tokens(ids, words, generator, rate=0.15):
    order = torch.where(ids > 4, torch.rand(ids.shape, generator=generator), 2.0).argsort(1).argsort(1)
    chosen = (order < (rate * (ids > 4).sum(1, keepdim=True)).round()) & (ids > 4)
    throw = torch.rand(ids.shape, generator=generator)
    random = torch.randint(5, words, ids.shape, generator=generator)
    labels = torch.where(chosen, ids, -100)
    seen = ids.clone()
    seen[chosen & (throw < 0.8)] = MASK
    swap = chosen & (throw >= 0.8) & (throw < 0.9)
    seen[swap] = random[swap]
    return seen, labels
