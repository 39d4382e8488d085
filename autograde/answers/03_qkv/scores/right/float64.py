"""Computes in float64 and returns that."""

def scores(x, W_q, W_k):
    x, W_q, W_k = x.double(), W_q.double(), W_k.double()
    return torch.einsum("...if,df,dg,...jg->...ij", x, W_q, W_k, x)
