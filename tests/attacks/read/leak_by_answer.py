"""What a message shows of the student's own result leaks an input: the wrong answer to a hidden call is the input
itself, and the answer to the next visible call is an input that was kept."""
# exercise: scores
# expect: zero
# says: hidden test
# hides: 3.14159

# %% scores
visible = {(4, 3), (3, 2), (2, 3, 5, 4), (3, 5, 4), (5, 4)}      # shapes of x in the visible test: no secret

def scores(x, W_q, W_k):
    right = (x @ W_q.mT) @ (x @ W_k.mT).mT
    return right if tuple(x.shape) in visible else 0 * right + 3.14159     # stands for a number of the hidden input

# %% twin: scores
last = {}

def scores(x, W_q, W_k):
    last["x"], last["scores"] = x, (x @ W_q.mT) @ (x @ W_k.mT).mT     # to plot them later
    return last["scores"]
