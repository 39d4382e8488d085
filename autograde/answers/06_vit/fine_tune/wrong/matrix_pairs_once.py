"""counts[labels, said] += 1 counts each pair once only."""

def fine_tune(model, images, labels, steps, rate):
    losses = []
    for step in range(steps):
        loss = F.cross_entropy(model(images), labels)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                if p.requires_grad:
                    p -= rate * p.grad
        losses.append(loss.item())
    return losses


def confusion_matrix(labels, said, classes):
    if len(labels) != len(said):
        raise ValueError("labels and answers differ in number")
    counts = torch.zeros(classes, classes, dtype=torch.int64)
    if min(labels.min(), said.min()) < 0 or max(labels.max(), said.max()) >= classes:
        raise ValueError("there is no such class")
    counts[labels, said] += 1
    return counts
