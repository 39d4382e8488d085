"""A recursion without end."""
# exercise: scores
# expect: zero
# spares: all
# says: RecursionError

# %% scores
def scores(x, W_q, W_k):
    return scores(x, W_q, W_k)

# %% twin: scores
def scores(x, W_q, W_k):
    if x.dim() > 2:                        # one picture at a time, by recursion
        import torch
        return torch.stack([scores(picture, W_q, W_k) for picture in x])
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
