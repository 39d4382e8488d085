"""The result is a list that holds itself."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
def scores(x, W_q, W_k):
    endless = [(x @ W_q.mT) @ (x @ W_k.mT).mT]
    endless.append(endless)
    return endless

# %% twin: scores
def scores(x, W_q, W_k):
    circle = {"result": (x @ W_q.mT) @ (x @ W_k.mT).mT}
    circle["self"] = circle                # stays here
    return circle["result"]
