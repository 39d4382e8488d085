"""The class that is most probable for the whole image is measured, not the label."""

def occlusion_map(model, image, cover, label):
    height, width = image.shape[1:]
    if cover < 1 or height % cover or width % cover:
        raise ValueError("the cover does not fit")
    was_training = model.training
    model.eval()
    drops = torch.zeros(height // cover, width // cover)
    with torch.no_grad():
        whole = model(image[None]).softmax(-1)[0]
        label = whole.argmax()
        before = whole[label]
        for row in range(height // cover):
            for column in range(width // cover):
                covered = image.clone()
                covered[:, row * cover : (row + 1) * cover, column * cover : (column + 1) * cover] = 0
                drops[row, column] = before - model(covered[None]).softmax(-1)[0, label]
    model.train(was_training)
    return drops
