"""Places without a label count as if word 0 had been asked."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores.log_softmax(-1)
    true = logs.gather(-1, labels.clamp(min=0)[..., None])
    return -true.mean()
