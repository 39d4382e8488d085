"""All losses, weighted by 0 and 1."""

def read_hidden(model, ids, images, hidden):
    count = int(hidden.sum())
    if count < 1:
        raise ValueError("hidden has no True")
    scores = model(ids * ~hidden + MASK * hidden, images)
    each = F.cross_entropy(scores.transpose(1, 2), ids, reduction="none")
    hits = (scores.max(-1).indices == ids) & hidden
    return (each * hidden).sum() / count, float(hits.sum()) / count
