"""The output (B, T, n) was reshaped to (B, n, h, w), which mixes tokens and channels. Transpose first."""

def conv_as_attention(x: Tensor, kernel: Tensor):
    k, (h, w) = kernel.shape[-1], x.shape[-2:]
    if k % 2 == 0:
        raise ValueError(f"a kernel of {k} x {k} has no middle")
    index, steps = relative_index(h, w), range(-(k // 2), k // 2 + 1)
    numbers = [(down + h - 1) * (2 * w - 1) + right + w - 1 for down in steps for right in steps]
    gates = torch.stack([index == number for number in numbers]).to(x.dtype)
    values = torch.einsum("bct,nci->bitn", x.flatten(2), kernel.flatten(2))
    return (gates @ values).sum(1).reshape(len(x), -1, h, w), gates
