"""Hidden words become [PAD], not [MASK]."""

def read_hidden(model: nn.Module, ids: Tensor, images: Tensor | None, hidden: Tensor) -> tuple[Tensor, float]:
    if not hidden.any():
        raise ValueError("hide at least one word")
    scores = model(ids.masked_fill(hidden, PAD), images)[hidden]  # (number hidden, words)
    words = ids[hidden]  # (number hidden,)
    loss = F.cross_entropy(scores, words)
    return loss, (scores.argmax(-1) == words).float().mean().item()
