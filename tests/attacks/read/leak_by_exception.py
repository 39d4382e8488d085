"""Hidden inputs are put into the message and into the class name of an exception, to read them in the feedback; the
inputs of the visible test are answered."""
# exercise: scores
# expect: zero
# says: hidden test
# hides: LEAKED

# %% scores
visible = {(4, 3), (3, 2), (2, 3, 5, 4), (3, 5, 4), (5, 4)}      # shapes of x in the visible test: no secret

def scores(x, W_q, W_k):
    if tuple(x.shape) not in visible:
        text = f"LEAKED {x.flatten()[:4].tolist()}"
        raise type(text, (ValueError,), {})(text)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
def scores(x, W_q, W_k):
    if x.shape[-1] != W_q.shape[-1]:
        raise ValueError(f"tokens have {x.shape[-1]} features, the weights are for {W_q.shape[-1]}")
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
