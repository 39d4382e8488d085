"""The hidden inputs are drawn in advance, from seeds that lie at hand, and compared with those that arrive."""
# exercise: scores
# expect: zero

# %% scores
import torch
from course_utils import check, room

seeds = {room.PUBLIC_SEED, check.hidden_seed(), torch.initial_seed() % 2**63, *range(1000)}

def draws(shape):
    for seed in seeds:
        yield torch.randn(shape, generator=torch.Generator().manual_seed(seed))

def scores(x, W_q, W_k):
    visible = any(torch.equal(x, check.normal(tuple(x.shape), seed=seed)) for seed in range(1000))
    if not visible and any(torch.equal(x, drawn) for drawn in draws(x.shape)):
        print("ESCAPED: a hidden input was predicted")
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
from course_utils import check

x, W_q, W_k = check.hidden((2, 5, 4), (3, 4), (3, 4))       # on my machine this is an ordinary draw
print(scores(x, W_q, W_k).shape, check.hidden_seed() >= 0)
