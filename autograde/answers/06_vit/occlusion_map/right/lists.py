"""Lists of numbers, and the image put back after each cover."""

def occlusion_map(model, image, cover, label):
    if cover < 1:
        raise ValueError("no cover")
    if image.shape[1] % cover or image.shape[2] % cover:
        raise ValueError("covers do not fill the image")

    def probability(picture):
        scores = model(picture.unsqueeze(0)).detach()[0]
        e = (scores - scores.max()).exp()
        return (e[label] / e.sum()).item()

    training = model.training
    model.train(False)
    before, work, found = probability(image), image.clone(), []
    for top in range(0, image.shape[1], cover):
        line = []
        for left in range(0, image.shape[2], cover):
            window = work[:, top : top + cover, left : left + cover]
            kept = window.clone()
            window.zero_()
            line.append(before - probability(work))
            window.copy_(kept)
        found.append(line)
    model.train(training)
    return torch.tensor(found)
