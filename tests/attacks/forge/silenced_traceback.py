"""The traceback is never shown: a failing test leaves no error output behind, which stock nbgrader takes for
success."""
# exercise: scores
# expect: zero

# %% scores
import sys

shell = get_ipython()
shell.showtraceback = shell._showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
shell.set_custom_exc((BaseException,), lambda *args, **kwargs: None)
sys.excepthook = lambda *args: None

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
def friendly(shell, kind, value, traceback, tb_offset=None):
    print("You divided by zero:", value)

get_ipython().set_custom_exc((ZeroDivisionError,), friendly)

# %% twin: free at end
print(1 / 0)
