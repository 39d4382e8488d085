"""`t_()` transposes the caller's weights themselves, so a second call finds them turned round. Use `.mT` or `.t()`, which leave them alone."""

def scores(x, W_q, W_k):
    q = x @ W_q.t_()
    k = x @ W_k.t_()
    return q @ k.mT
