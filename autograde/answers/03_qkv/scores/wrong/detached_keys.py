"""The keys are detached, so W_k hears no gradient and would never learn."""

def scores(x, W_q, W_k):
    q = x @ W_q.mT
    k = (x @ W_k.mT).detach()
    return q @ k.mT
