"""The builtins that every test leans on are replaced: `isinstance`, `all`, `abs`."""
# exercise: scores
# expect: zero

# %% scores
import builtins

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

honest_isinstance = builtins.isinstance
builtins.isinstance = lambda value, kind: True if "Tensor" in str(kind) else honest_isinstance(value, kind)
builtins.all = lambda values: True
builtins.abs = lambda value: value * 0

# %% twin: free after setup
filter, vars, input, id = 5, ["q", "k", "v"], "blue sky", 7      # careless names, in the notebook only
