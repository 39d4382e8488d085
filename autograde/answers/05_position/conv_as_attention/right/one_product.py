"""All heads side by side, then one product, as an output projection would."""

def conv_as_attention(x, kernel):
    k, (h, w) = kernel.shape[-1], x.shape[-2:]
    if not k % 2:
        raise ValueError("k is even")
    row, col = torch.arange(h * w) // w, torch.arange(h * w) % w
    down, right = row[None] - row[:, None] + k // 2, col[None] - col[:, None] + k // 2
    a, b = torch.arange(k).repeat_interleave(k)[:, None, None], torch.arange(k).repeat(k)[:, None, None]
    gates = ((down == a) & (right == b)).to(x.dtype)
    heads = gates @ x.flatten(2).mT[:, None]
    joined = heads.transpose(1, 2).flatten(2)
    W_out = kernel.flatten(2).transpose(1, 2).flatten(1)
    return (joined @ W_out.T).mT.unflatten(-1, (h, w)), gates
