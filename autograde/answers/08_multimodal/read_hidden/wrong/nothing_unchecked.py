"""Nothing hidden is not checked; the mean is then NaN."""

def read_hidden(model: nn.Module, ids: Tensor, images: Tensor | None, hidden: Tensor) -> tuple[Tensor, float]:
    scores = model(ids.masked_fill(hidden, MASK), images)[hidden]  # (number hidden, words)
    words = ids[hidden]  # (number hidden,)
    loss = F.cross_entropy(scores, words)
    return loss, (scores.argmax(-1) == words).float().mean().item()
