"""torch.autograd.grad; one-hot matrices multiplied."""

def fine_tune(model, images, labels, steps, rate):
    trained = [p for p in model.parameters() if p.requires_grad]
    losses = []
    while len(losses) < steps:
        log_probabilities = model(images).log_softmax(dim=-1)
        loss = -log_probabilities[torch.arange(len(labels)), labels].mean()
        for p, g in zip(trained, torch.autograd.grad(loss, trained)):
            p.data -= rate * g
        losses.append(loss.item())
    return losses


def confusion_matrix(labels, said, classes):
    every = torch.arange(classes)
    if labels.shape != said.shape:
        raise ValueError("shapes differ")
    if not (torch.isin(labels, every).all() and torch.isin(said, every).all()):
        raise ValueError("no such class")
    return (labels[:, None] == every).long().mT @ (said[:, None] == every).long()
