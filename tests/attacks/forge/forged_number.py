"""When a test fails, no error is shown and the shell publishes `3.0` as the cell's last value, which stock nbgrader
takes for the points that the test gave."""
# exercise: scores
# expect: zero

# %% scores
shell = get_ipython()

def full_marks(*args, **kwargs):
    shell.displayhook(3.0)

shell.set_custom_exc((Exception,), full_marks)

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
import math

width = 4
math.sqrt(width) * 50          # the last value of a cell is a number, as in any notebook

# %% twin: free after test_scores
4.0
