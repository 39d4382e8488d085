"""A softmax comes before the log-softmax. One is enough."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores[asked].softmax(-1).log_softmax(-1)
    true = logs.gather(1, labels[asked][:, None])
    return -true.mean()
