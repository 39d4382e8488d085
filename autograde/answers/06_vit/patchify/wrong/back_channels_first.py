"""On the way back the reshape takes channels for the first thing in the rows. Each row is one patch: its number comes first, then channels."""

def patchify(images, patch):
    B, C, height, width = images.shape
    if patch < 1 or height % patch or width % patch:
        raise ValueError("the patch does not fill the image")
    grid = images.reshape(B, C, height // patch, patch, width // patch, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * patch * patch)


def unpatchify(patches, height, width, patch):
    B, T, numbers = patches.shape
    if patch < 1 or height % patch or width % patch:
        raise ValueError("the patch does not fill the image")
    if T != (height // patch) * (width // patch):
        raise ValueError("more or fewer patches than the image needs")
    if numbers % (patch * patch):
        raise ValueError("P·P does not divide the numbers of a patch")
    grid = patches.reshape(B, -1, height // patch, width // patch, patch, patch)
    return grid.permute(0, 1, 2, 4, 3, 5).reshape(B, -1, height, width)


def linear_from_conv(conv):
    if conv.stride != conv.kernel_size:
        raise ValueError("the stride is not the kernel size")
    if conv.padding != (0, 0):
        raise ValueError("the convolution pads")
    linear = nn.Linear(conv.weight[0].numel(), conv.out_channels, bias=conv.bias is not None)
    with torch.no_grad():
        linear.weight.copy_(conv.weight.reshape(conv.out_channels, -1))
        if conv.bias is not None:
            linear.bias.copy_(conv.bias)
    return linear
