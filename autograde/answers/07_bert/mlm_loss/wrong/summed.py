"""The losses are added. Take their mean."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores[asked].log_softmax(-1)
    true = logs.gather(1, labels[asked][:, None])
    return -true.sum()
