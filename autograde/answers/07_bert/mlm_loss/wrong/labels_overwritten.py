"""The caller's labels were overwritten. Work on a copy."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores[asked].log_softmax(-1)
    true = logs.gather(1, labels[asked][:, None])
    labels[~asked] = 0
    return -true.mean()
