"""One batch of masks, under inference mode."""

def occlusion_map(model, image, cover, label):
    C, h, w = image.shape
    if cover <= 0 or h % cover != 0 or w % cover != 0:
        raise ValueError("the cover must divide the image")
    rows, columns = h // cover, w // cover
    y, x = torch.arange(h) // cover, torch.arange(w) // cover
    square = y[:, None] * columns + x
    keep = square != torch.arange(rows * columns)[:, None, None]
    batch = torch.cat([image[None], image * keep[:, None]])
    mode = model.training
    model.eval()
    try:
        with torch.inference_mode():
            p = F.softmax(model(batch), dim=1)[:, label]
    finally:
        model.train(mode)
    return (p[0] - p[1:]).view(rows, columns).clone()
