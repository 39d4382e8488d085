"""A right answer that prints the hidden inputs, to read them in the feedback: prints, warnings, displays, figures,
each time behind the word LEAKED."""
# exercise: scores
# expect: keeps
# spares: all
# hides: LEAKED

# %% scores
import sys, warnings
from IPython.display import display
import matplotlib.pyplot as plt

visible = {(4, 3), (3, 2), (2, 3, 5, 4), (3, 5, 4), (5, 4)}      # shapes of x in the visible test: no secret

def scores(x, W_q, W_k):
    if tuple(x.shape) not in visible:
        text = f"LEAKED {x.flatten()[:4].tolist()}"
        print(text, flush=True)
        print(text, file=sys.stderr, flush=True)
        warnings.warn(text)
        display({"text/plain": text}, raw=True)
        plt.figure().suptitle(text)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
