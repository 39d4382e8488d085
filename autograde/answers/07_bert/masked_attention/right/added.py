"""Minus infinity is added where a key is closed."""

def padding_mask(ids):
    return torch.stack([row != PAD for row in ids])[:, None, None]


def masked_attention(q, k, v, mask):
    closed = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    gates = F.softmax(q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1]) + closed, dim=-1)
    return gates @ v, gates
