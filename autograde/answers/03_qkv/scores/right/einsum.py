"""One einsum for each step."""

def scores(x, W_q, W_k):
    q = torch.einsum("...tf,df->...td", x, W_q)
    k = torch.einsum("...tf,df->...td", x, W_k)
    return torch.einsum("...qd,...kd->...qk", q, k)
