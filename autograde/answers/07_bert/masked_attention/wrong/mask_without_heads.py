"""The mask is (B, T). It needs a 1 for heads and a 1 for queries."""

def padding_mask(ids):
    return ids.ne(PAD)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, -torch.inf)
    gates = torch.softmax(scores, dim=-1)
    return torch.matmul(gates, v), gates
