"""Closed scores became 0, a score like any other. Only minus infinity closes."""

def padding_mask(ids):
    return ids.ne(PAD).unsqueeze(1).unsqueeze(1)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = scores * mask
    gates = torch.softmax(scores, dim=-1)
    return torch.matmul(gates, v), gates
