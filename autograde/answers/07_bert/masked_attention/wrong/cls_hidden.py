"""[UNK] and [PAD] are both closed. Only [PAD] means nothing."""

def padding_mask(ids):
    return ids.gt(1).unsqueeze(1).unsqueeze(1)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, -torch.inf)
    gates = torch.softmax(scores, dim=-1)
    return torch.matmul(gates, v), gates
