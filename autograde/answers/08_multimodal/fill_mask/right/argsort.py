"""By argsort and a boolean mask; decode for the words."""

def fill_mask(model, ids, image=None, k=5):
    if (ids == MASK).sum() != 1:
        raise ValueError("the sentence must hide exactly one word")
    batch = None if image is None else torch.stack([image])
    scores = model(torch.stack([ids]), batch)[torch.stack([ids]) == MASK][0].detach()
    if not 0 < k <= scores.numel():
        raise ValueError("k is too small or too large")
    p = (scores - scores.logsumexp(0)).exp()
    found = []
    for i in p.argsort(descending=True)[:k]:
        found.append((captioned.WORDS.words[i.item()], p[i].item()))
    return found
