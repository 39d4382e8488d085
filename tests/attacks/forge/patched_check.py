"""The functions of `course_utils.check` are replaced one by one, its exceptions can no longer be made."""
# exercise: scores
# expect: zero

# %% free after setup
from course_utils import check, room

for name in check.__all__:
    if name[0].islower() and name not in ("normal", "hidden", "hidden_seed", "award", "probe"):
        setattr(check, name, lambda *args, **kwargs: None)
check._agree = lambda *args, **kwargs: True
check.Failed.__init__ = check.StudentError.__init__ = lambda self, *args, **kwargs: None
room.enter = lambda room: None

# %% scores
def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
from course_utils import check

x, W_q, W_k = check.normal((2, 3, 4), (5, 4), (5, 4))
check.shape(scores(x, W_q, W_k), (2, 3, 3), "my own scores")
try:
    check.close(scores(x, W_q, W_k), scores(x, W_k, W_q), "a wrong guess of mine")
except check.Failed as error:
    print("as expected:", str(error).splitlines()[0])
