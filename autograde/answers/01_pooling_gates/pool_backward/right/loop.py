"""A loop over windows."""

def pool_backward(v, g, kind):
    if kind not in {"max", "average"}:
        raise ValueError(f"{kind}?")
    n = v.shape[-1]
    rows, arriving = v.reshape(-1, n), g.reshape(-1)
    result = torch.zeros_like(rows)
    for i in range(len(rows)):
        if kind == "max":
            result[i, int(rows[i].argmax())] = arriving[i]
        else:
            result[i] = arriving[i] / n
    return result.reshape(v.shape)
