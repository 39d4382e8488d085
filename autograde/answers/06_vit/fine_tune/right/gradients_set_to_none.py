"""Gradients are dropped by hand; index_put with accumulation."""

def fine_tune(model, images, labels, steps, rate):
    model.train()
    losses = [0.0] * steps
    for step in range(steps):
        for p in model.parameters():
            p.grad = None
        loss = F.nll_loss(F.log_softmax(model(images), -1), labels)
        loss.backward()
        for p in model.parameters():
            if p.grad is not None:
                p.data.add_(p.grad, alpha=-rate)
        losses[step] = loss.detach().item()
    return losses


def confusion_matrix(labels, said, classes):
    if len(labels) != len(said) or any(not 0 <= n < classes for n in labels.tolist() + said.tolist()):
        raise ValueError("labels and answers do not fit")
    counts = torch.zeros(classes, classes).long()
    return counts.index_put((labels, said), torch.ones(len(labels)).long(), accumulate=True)
