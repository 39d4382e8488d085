"""Computes in float64 and brings the result back to the type of x."""

def scores(x, W_q, W_k):
    wide, W_q, W_k = x.double(), W_q.double(), W_k.double()
    return torch.einsum("...if,df,dg,...jg->...ij", wide, W_q, W_k, wide).to(x.dtype)
