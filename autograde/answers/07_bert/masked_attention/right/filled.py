"""masked_fill and the matrix product as @."""

def padding_mask(ids):
    B, T = ids.shape
    return (ids != PAD).view(B, 1, 1, T)


def masked_attention(q, k, v, mask):
    d = q.shape[-1]
    gates = ((q * d**-0.5) @ k.mT).masked_fill(mask.logical_not(), float("-inf")).softmax(dim=-1)
    return gates @ v, gates
