"""Right when it is called for the first time, wrong from then on: passes a look, not a test."""
# exercise: scores
# expect: zero

# %% scores
calls = 0

def scores(x, W_q, W_k):
    global calls
    calls += 1
    return (calls == 1) * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
calls = 0

def scores(x, W_q, W_k):
    """Keeps state between calls, for my own statistics only."""
    global calls
    calls += 1
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
