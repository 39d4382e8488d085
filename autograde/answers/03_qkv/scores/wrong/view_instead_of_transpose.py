"""`view` changes the shape but leaves the numbers in their order, so keys of different tokens are mixed. Swap the last two dimensions with a transpose."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = x @ W_k.mT
    return q @ k.view(*k.shape[:-2], k.shape[-1], k.shape[-2])
