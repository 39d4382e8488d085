"""Word by word."""

def mask_tokens(ids, words, generator, rate=0.15):
    seen, labels = ids.clone(), torch.full_like(ids, -100)
    first = torch.rand(ids.shape, generator=generator).tolist()
    second = torch.rand(ids.shape, generator=generator).tolist()
    other = torch.randint(5, words, ids.shape, generator=generator).tolist()
    for b, row in enumerate(ids.tolist()):
        for t, word in enumerate(row):
            if word < 5 or first[b][t] >= rate:
                continue
            labels[b, t] = word
            if second[b][t] < 0.8:
                seen[b, t] = MASK
            elif second[b][t] < 0.9:
                seen[b, t] = other[b][t]
    return seen, labels
