"""One-hot matrices move the numbers: an einsum each."""

def _places(heads, width, like):
    return torch.eye(heads * width, dtype=like.dtype).view(heads * width, heads, width)


def split_heads(x, heads):
    if heads < 1 or x.shape[-1] % heads:
        raise ValueError("heads must divide the width of a token")
    return torch.einsum("...td,dhw->...htw", x, _places(heads, x.shape[-1] // heads, x))


def merge_heads(x):
    return torch.einsum("...htw,dhw->...td", x, _places(x.shape[-3], x.shape[-1], x))
