"""Classes stand in dimension 1."""

def mlm_loss(scores, labels):
    if (labels == -100).all():
        return (scores * 0).sum()
    return F.cross_entropy(scores.transpose(1, 2), labels)
