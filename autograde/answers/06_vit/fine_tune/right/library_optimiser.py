"""torch.optim.SGD and bincount."""

def fine_tune(model, images, labels, steps, rate):
    optimiser = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate)
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = nn.CrossEntropyLoss()(model(images), labels)
        losses.append(float(loss))
        loss.backward()
        optimiser.step()
    return losses


def confusion_matrix(labels, said, classes):
    if labels.numel() != said.numel():
        raise ValueError("not one answer for each label")
    for some in (labels, said):
        if some.min() < 0 or some.max() > classes - 1:
            raise ValueError("no such class")
    return torch.bincount(classes * labels + said, minlength=classes * classes).view(classes, classes)
