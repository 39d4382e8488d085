"""The mask holds numbers. Booleans are asked for."""

def padding_mask(ids):
    return ids.ne(PAD).float().unsqueeze(1).unsqueeze(1)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = torch.where(mask.bool(), scores, -torch.inf)
    gates = torch.softmax(scores, dim=-1)
    return torch.matmul(gates, v), gates
