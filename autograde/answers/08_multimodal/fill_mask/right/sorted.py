"""Sorted by Python."""

def fill_mask(model, ids, image=None, k=5):
    masks = [t for t, i in enumerate(ids.tolist()) if i == MASK]
    if len(masks) != 1:
        raise ValueError(f"one [MASK] is needed, there are {len(masks)}")
    with torch.no_grad():
        out = model(ids.unsqueeze(0), image if image is None else image.unsqueeze(0))
    p = F.softmax(out[0], dim=-1)[masks[0]].tolist()
    if k < 1 or k > len(p):
        raise ValueError(f"k = {k} does not fit {len(p)} words")
    order = sorted(range(len(p)), key=lambda i: -p[i])
    return [(captioned.WORDS.words[i], p[i]) for i in order[:k]]
