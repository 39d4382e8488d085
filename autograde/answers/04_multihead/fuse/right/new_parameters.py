"""New parameters from cloned numbers."""

def _layer(weight, bias):
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    layer.weight = nn.Parameter(weight.detach().clone())
    if bias is not None:
        layer.bias = nn.Parameter(bias.detach().clone())
    return layer


def fuse(q, k, v):
    if not (q.weight.shape == k.weight.shape == v.weight.shape):
        raise ValueError("shapes differ")
    biases = [part.bias for part in (q, k, v) if part.bias is not None]
    if len(biases) not in (0, 3):
        raise ValueError("bias here, no bias there")
    return _layer(torch.vstack([q.weight, k.weight, v.weight]), torch.hstack(biases) if biases else None)


def unfuse(qkv):
    if qkv.weight.shape[0] != 3 * qkv.weight.shape[1]:
        raise ValueError("outputs are not three times the inputs")
    biases = [None] * 3 if qkv.bias is None else qkv.bias.chunk(3)
    return tuple(_layer(w, b) for w, b in zip(qkv.weight.chunk(3), biases))
