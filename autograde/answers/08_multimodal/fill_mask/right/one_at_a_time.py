"""The best word again and again."""

def fill_mask(model, ids, image=None, k=5):
    count = int(ids.eq(MASK).sum())
    if count != 1:
        raise ValueError(f"{count} words are hidden; hide one")
    place = int(ids.eq(MASK).int().argmax())
    args = (ids.view(1, -1),) if image is None else (ids.view(1, -1), image[None])
    with torch.inference_mode():
        p = model(*args)[0, place].exp()
        p = p / p.sum()
        if k < 1 or k > p.shape[0]:
            raise ValueError("bad k")
        best = []
        for _ in range(k):
            i = int(p.argmax())
            best.append((captioned.WORDS.words[i], float(p[i])))
            p[i] = -1
    return best
