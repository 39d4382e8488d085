"""A copy of the model is put into eval mode, so that the model keeps its own."""

@torch.no_grad()
def occlusion_map(model, image, cover, label):
    h, w = image.shape[-2:]
    if cover < 1 or (h % cover, w % cover) != (0, 0):
        raise ValueError(f"{cover} does not divide {h} and {w}")
    answer = copy.deepcopy(model).eval()
    drops = torch.empty(h // cover, w // cover)
    before = answer(image[None]).softmax(1)[0][label]
    for i in range(drops.numel()):
        row, column = divmod(i, w // cover)
        mask = torch.ones(h, w)
        mask[cover * row :, cover * column :][:cover, :cover] = 0
        drops[row, column] = before - answer((image * mask)[None]).softmax(1)[0][label]
    return drops
