"""Gates come first. The card wants the output first."""

def padding_mask(ids):
    return ids.ne(PAD).unsqueeze(1).unsqueeze(1)


def masked_attention(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, -torch.inf)
    gates = torch.softmax(scores, dim=-1)
    return gates, torch.matmul(gates, v)
