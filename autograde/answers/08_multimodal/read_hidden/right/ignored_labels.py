"""Labels of -100 are left out by the loss."""

def read_hidden(model, ids, images, hidden):
    if hidden.sum() == 0:
        raise ValueError("no word is hidden")
    seen = torch.where(hidden, torch.full_like(ids, MASK), ids)
    labels = torch.where(hidden, ids, torch.full_like(ids, -100))
    scores = model(seen, images)
    loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten())
    right = (scores.argmax(-1) == labels).sum() / hidden.sum()
    return loss, right.item()
