"""The scores come back in float64 whatever x was. Computing in float64 is fine; bring the result back to the type of x."""

def scores(x, W_q, W_k):
    x, W_q, W_k = x.double(), W_q.double(), W_k.double()
    return x @ W_q.mT @ W_k @ x.mT
