"""The tested function leaves by an exception that is no `Exception`: it slips through `except Exception` and ends a
test without a failed assertion."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
class Passed(BaseException):
    """All is well."""

def scores(x, W_q, W_k):
    raise Passed("all checks passed")

# %% twin: scores
class Found(Exception):
    pass

def width(W):
    """Leaves a loop by an exception, which is caught where it belongs."""
    try:
        for number in range(10_000):
            if number == W.shape[0]:
                raise Found(number)
    except Found as found:
        return found.args[0]

def scores(x, W_q, W_k):
    return (x @ W_q[: width(W_q)].mT) @ (x @ W_k.mT).mT
