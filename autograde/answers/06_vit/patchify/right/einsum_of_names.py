"""Six dimensions ordered by an einsum; the layer is made without a start of its own."""

def patchify(images, patch):
    b, c, h, w = images.shape
    if not (patch >= 1 and h % patch == 0 and w % patch == 0):
        raise ValueError("patch and image do not fit")
    six = images.reshape(b, c, h // patch, patch, w // patch, patch)
    return torch.einsum("bcripq->brpciq", six).reshape(b, (h // patch) * (w // patch), -1)


def unpatchify(patches, height, width, patch):
    if not (patch >= 1 and height % patch == 0 and width % patch == 0):
        raise ValueError("patch and image do not fit")
    r, p = height // patch, width // patch
    if patches.shape[1] != r * p or patches.shape[2] % patch**2 != 0:
        raise ValueError("patches and image do not fit")
    six = patches.reshape(len(patches), r, p, -1, patch, patch)
    return torch.einsum("brpciq->bcripq", six).reshape(len(patches), -1, height, width)


def linear_from_conv(conv):
    if conv.padding != (0, 0) or conv.stride != conv.kernel_size:
        raise ValueError("conv does not fit")
    linear = nn.utils.skip_init(nn.Linear, conv.weight[0].numel(), conv.out_channels, bias=conv.bias is not None)
    with torch.no_grad():
        for own, other in zip(linear.parameters(), conv.parameters()):
            own.copy_(other.view(own.shape))
    return linear
