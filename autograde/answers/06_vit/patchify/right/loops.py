"""Loops over patches, with slices."""

def patchify(images, patch):
    B, C, h, w = images.shape
    if patch < 1:
        raise ValueError("a patch needs a pixel")
    if h % patch + w % patch > 0:
        raise ValueError("the patch does not divide the image")
    found = []
    for top in range(0, h, patch):
        for left in range(0, w, patch):
            found.append(images[:, :, top : top + patch, left : left + patch].reshape(B, -1))
    return torch.stack(found, dim=1)


def unpatchify(patches, height, width, patch):
    B, T, numbers = patches.shape
    if patch < 1 or height % patch or width % patch:
        raise ValueError("the patch does not divide the image")
    if numbers % patch**2 or T != (height // patch) * (width // patch):
        raise ValueError("the patches do not fit")
    images = patches.new_zeros(B, numbers // patch**2, height, width)
    t = 0
    for top in range(0, height, patch):
        for left in range(0, width, patch):
            images[:, :, top : top + patch, left : left + patch] = patches[:, t].reshape(B, -1, patch, patch)
            t += 1
    return images


def linear_from_conv(conv):
    D, C, P, _ = conv.weight.shape
    if conv.stride[0] != P or conv.padding[0] != 0:
        raise ValueError("no cut into patches")
    linear = nn.Linear(C * P * P, D, bias=conv.bias is not None)
    for d in range(D):
        linear.weight.data[d] = conv.weight.data[d].reshape(-1)
    if conv.bias is not None:
        linear.bias.data[:] = conv.bias.data
    return linear
