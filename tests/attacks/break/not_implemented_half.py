"""Half done: a helper is written, the function that uses it still raises `NotImplementedError`."""
# exercise: scores
# expect: zero
# spares: attention
# says: not attempted

# %% scores
def project(x, W):
    return x @ W.mT

def scores(x, W_q, W_k):
    q, k = project(x, W_q), project(x, W_k)
    raise NotImplementedError

# %% twin: scores
def project(x, W):
    return x @ W.mT

def scores(x, W_q, W_k):
    q, k = project(x, W_q), project(x, W_k)
    return q @ k.mT
    raise NotImplementedError
