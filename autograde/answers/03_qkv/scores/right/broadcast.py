"""Every pair by broadcasting, products summed."""

def scores(x, W_q, W_k):
    q = (x.unsqueeze(-2) * W_q).sum(-1)
    k = (x.unsqueeze(-2) * W_k).sum(-1)
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)
