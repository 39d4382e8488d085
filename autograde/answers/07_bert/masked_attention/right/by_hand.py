"""The softmax written out; the largest open score is taken off first."""

def padding_mask(ids):
    return ~(ids == PAD)[:, None, None, :]


def masked_attention(q, k, v, mask):
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~mask, -math.inf)
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    gates = e / e.sum(-1, keepdim=True)
    return torch.einsum("...qk,...kd->...qd", gates, v), gates
