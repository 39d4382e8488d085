"""The traceback is never shown, and the kernel is told that the cell succeeded: a failing test leaves no error behind,
which stock nbgrader takes for success."""
# exercise: scores
# expect: zero

# %% scores
import sys

shell = get_ipython()

def silent(*args, **kwargs):
    result = sys._getframe(1).f_locals.get("result")
    if result is not None:
        result.error_in_exec = None            # or the kernel's reply says that there was an error, though none is shown

shell.showtraceback = shell._showtraceback = shell.showsyntaxerror = silent
sys.excepthook = silent

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free after setup
def friendly(shell, kind, value, traceback, tb_offset=None):
    print("You divided by zero:", value)

get_ipython().set_custom_exc((ZeroDivisionError,), friendly)

# %% twin: free at end
print(1 / 0)
