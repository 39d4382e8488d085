"""A right answer that keeps the inputs it saw; a cell at the end gives them out: in its output, a file and an
error."""
# exercise: scores
# expect: keeps
# spares: all
# hides: LEAKED

# %% scores
seen = []

def scores(x, W_q, W_k):
    seen.append(x.detach().flatten()[:4].tolist())
    return (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% free at end
open("LEAKED.txt", "w").write(str(seen))
print("LEAKED", seen)
raise ValueError(f"LEAKED {seen}")
