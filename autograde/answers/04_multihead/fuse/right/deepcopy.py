"""Copies of the old layers, written over row by row."""

import copy


def fuse(q, k, v):
    shapes = {tuple(part.weight.shape) for part in (q, k, v)}
    with_bias = {part.bias is not None for part in (q, k, v)}
    if len(shapes) != 1 or len(with_bias) != 1:
        raise ValueError(f"these three do not fit: {shapes}, {with_bias}")
    D = q.out_features
    fused = nn.Linear(q.in_features, 3 * D, bias=q.bias is not None, dtype=q.weight.dtype)
    for i, part in enumerate((q, k, v)):
        fused.weight.data[i * D : (i + 1) * D] = part.weight.data
        if part.bias is not None:
            fused.bias.data[i * D : (i + 1) * D] = part.bias.data
    return fused


def unfuse(qkv):
    D = qkv.in_features
    if qkv.out_features / D != 3:
        raise ValueError("not fused")
    made = []
    for i in range(3):
        part = copy.deepcopy(qkv)
        part.out_features = D
        part.weight = nn.Parameter(part.weight.data[i * D : (i + 1) * D].clone())
        if part.bias is not None:
            part.bias = nn.Parameter(part.bias.data[i * D : (i + 1) * D].clone())
        made.append(part)
    return made[0], made[1], made[2]
