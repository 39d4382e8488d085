"""The softmax goes over the queries. Each query shares its attention among the keys: the last dimension."""

def padding_mask(ids):
    return ids.ne(PAD).unsqueeze(1).unsqueeze(1)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, -torch.inf)
    gates = torch.softmax(scores, dim=-2)
    return torch.matmul(gates, v), gates
