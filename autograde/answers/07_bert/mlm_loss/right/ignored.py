"""PyTorch ignores -100 by itself; only a batch without labels needs care."""

def mlm_loss(scores, labels):
    total = F.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
