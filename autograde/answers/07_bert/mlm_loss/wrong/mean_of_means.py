"""The mean of each sentence, then their mean. All chosen places count alike."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    rows = [F.cross_entropy(s[a], l[a]) for s, l, a in zip(scores, labels, asked) if a.any()]
    return torch.stack(rows).mean()
