"""cat and slices."""

def fuse(q, k, v):
    parts = [q, k, v]
    if any(p.weight.shape != q.weight.shape for p in parts):
        raise ValueError("the weights differ in shape")
    if any((p.bias is None) != (q.bias is None) for p in parts):
        raise ValueError("some have a bias, some have none")
    new = nn.Linear(q.in_features, 3 * q.out_features, bias=q.bias is not None, dtype=q.weight.dtype)
    with torch.no_grad():
        new.weight.copy_(torch.cat([p.weight for p in parts], dim=0))
        if q.bias is not None:
            new.bias.copy_(torch.cat([p.bias for p in parts]))
    return new


def unfuse(qkv):
    D = qkv.in_features
    if qkv.out_features != 3 * D:
        raise ValueError(f"{qkv.out_features} is not 3 times {D}")
    made = []
    for i in range(3):
        part = nn.Linear(D, D, bias=qkv.bias is not None, dtype=qkv.weight.dtype)
        with torch.no_grad():
            part.weight.copy_(qkv.weight[i * D : (i + 1) * D])
            if qkv.bias is not None:
                part.bias.copy_(qkv.bias[i * D : (i + 1) * D])
        made.append(part)
    return tuple(made)
