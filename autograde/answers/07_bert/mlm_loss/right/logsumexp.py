"""The log of the sum of exponentials, minus the true score."""

def mlm_loss(scores, labels):
    asked = (labels >= 0).to(scores.dtype)
    true = scores.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    each = (torch.logsumexp(scores, -1) - true) * asked
    return each.sum() / max(asked.sum().item(), 1)
