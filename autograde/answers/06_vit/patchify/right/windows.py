"""Windows by Tensor.unfold, back by concatenation; the parameters are cloned."""

def patchify(images, patch):
    if patch < 1 or images.shape[-1] % patch or images.shape[-2] % patch:
        raise ValueError(f"{patch} does not divide {images.shape[-2:]}")
    tiles = images.unfold(2, patch, patch).unfold(3, patch, patch)
    return tiles.movedim(1, 3).flatten(3).flatten(1, 2)


def unpatchify(patches, height, width, patch):
    if patch < 1 or height % patch or width % patch or patches.shape[-1] % patch**2:
        raise ValueError("sizes do not fit")
    rows, columns = height // patch, width // patch
    if rows * columns != patches.shape[1]:
        raise ValueError("sizes do not fit")
    tiles = patches.unflatten(2, (-1, patch, patch))
    lines = [torch.cat(list(tiles[:, r * columns : (r + 1) * columns].unbind(1)), dim=-1) for r in range(rows)]
    return torch.cat(lines, dim=-2)


def linear_from_conv(conv):
    if conv.kernel_size != conv.stride or conv.padding != (0, 0):
        raise ValueError("this convolution is not a cut into patches")
    with_bias = conv.bias is not None
    linear = nn.Linear(1, 1, bias=with_bias)
    linear.weight = nn.Parameter(conv.weight.detach().clone().flatten(1))
    if with_bias:
        linear.bias = nn.Parameter(conv.bias.detach().clone())
    linear.in_features, linear.out_features = linear.weight.shape[1], linear.weight.shape[0]
    return linear
