"""Scores collected as Python numbers and put into a new tensor have lost their history: no gradient reaches x or the weights. Stack tensors instead."""

def scores(x, W_q, W_k):
    if x.dim() > 2:
        return torch.stack([scores(one, W_q, W_k) for one in x])
    q = x @ W_q.mT
    k = x @ W_k.mT
    return torch.tensor([[float(a @ b) for b in k] for a in q])
