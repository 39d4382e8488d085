"""ids are changed: the words are gone for the next update."""

def read_hidden(model: nn.Module, ids: Tensor, images: Tensor | None, hidden: Tensor) -> tuple[Tensor, float]:
    if not hidden.any():
        raise ValueError("hide at least one word")
    before = ids[hidden]
    scores = model(ids.masked_fill_(hidden, MASK), images)[hidden]  # (number hidden, words)
    words = before  # (number hidden,)
    loss = F.cross_entropy(scores, words)
    return loss, (scores.argmax(-1) == words).float().mean().item()
