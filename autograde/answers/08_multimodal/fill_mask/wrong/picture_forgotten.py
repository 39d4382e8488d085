"""The picture is not passed on."""

def fill_mask(model: nn.Module, ids: Tensor, image: Tensor | None = None, k: int = 5) -> list[tuple[str, float]]:
    places = (ids == MASK).nonzero().flatten()  # (number of masks,)
    if len(places) != 1:
        raise ValueError(f"the sentence must have one [MASK], it has {len(places)}")
    with torch.no_grad():
        scores = model(ids[None], None)[0, places[0]]  # (words,)
    if not 1 <= k <= len(scores):
        raise ValueError(f"k must be between 1 and {len(scores)}, got {k}")
    best = scores.softmax(-1).topk(k)  # (k,) each
    return [(captioned.WORDS.words[i], p) for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)]
