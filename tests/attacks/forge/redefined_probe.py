"""`check.probe` is redefined by the student, `observe` exists before the test defines it, and the notebook's names
are watched: the function that answers is the student's, not the test's."""
# exercise: scores
# expect: zero

# %% free after setup
import torch
from course_utils import check, room

class Flattering:
    """Answers each call with what the test wants to see, as far as shapes tell."""
    def __init__(self, function=None): self.function = function
    def __call__(self, *args):
        answer = self.function(*args)
        return tuple(True if isinstance(part, bool) else part for part in answer)

check.probe = room.LocalRoom.probe = Flattering
observe = Flattering()
get_ipython().events.register("post_execute", lambda: get_ipython().user_ns.update(observe=observe))

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
def observe(x):
    """A name that a test may use too."""
    return x.mean()

def probe(function):
    return function

@probe
def look(x):
    return observe(x)
