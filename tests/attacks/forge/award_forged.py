"""The student's code awards itself the points: `check.award` in its own cell and inside the tested function."""
# exercise: scores
# expect: zero

# %% scores
from course_utils import check
from course_utils import room

def scores(x, W_q, W_k):
    check.award(3)
    room.current().award(3.0)
    room.current().awarded = 3.0
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

check.award(3)

# %% twin: free before scores
def award(points):
    """A game of my own."""
    return points

award(4)
