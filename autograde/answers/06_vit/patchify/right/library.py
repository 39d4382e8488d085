"""The library's unfold and fold."""

def patchify(images, patch):
    if patch <= 0 or images.shape[2] % patch != 0 or images.shape[3] % patch != 0:
        raise ValueError("does not fit")
    return F.unfold(images, kernel_size=patch, stride=patch).transpose(1, 2)


def unpatchify(patches, height, width, patch):
    if patch <= 0 or height % patch != 0 or width % patch != 0:
        raise ValueError("does not fit")
    if patches.shape[1] * patch**2 != height * width or patches.shape[2] % patch**2 != 0:
        raise ValueError("does not fit")
    return F.fold(patches.transpose(1, 2), (height, width), kernel_size=patch, stride=patch)


def linear_from_conv(conv):
    if tuple(conv.stride) != tuple(conv.kernel_size) or any(conv.padding):
        raise ValueError("does not fit")
    linear = nn.Linear(conv.in_channels * conv.kernel_size[0] ** 2, conv.out_channels, bias=conv.bias is not None)
    state = {"weight": conv.weight.flatten(1)}
    if conv.bias is not None:
        state["bias"] = conv.bias
    linear.load_state_dict(state)
    return linear
