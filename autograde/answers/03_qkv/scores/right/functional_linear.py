"""F.linear for the projections, transpose and matmul for the pairs."""

def scores(x, W_q, W_k):
    queries = F.linear(x, W_q)
    keys = F.linear(x, W_k)
    return torch.matmul(queries, keys.transpose(-1, -2))
