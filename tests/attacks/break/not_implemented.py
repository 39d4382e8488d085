"""The exercise is as released: `NotImplementedError` is left in."""
# exercise: scores
# expect: zero
# spares: attention
# says: not attempted

# %% scores
def scores(x, W_q, W_k):
    raise NotImplementedError("write your code here")

# %% twin: scores
def later(x):
    raise NotImplementedError("perhaps tomorrow")

def scores(x, W_q, W_k):
    try:
        later(x)
    except NotImplementedError:
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
