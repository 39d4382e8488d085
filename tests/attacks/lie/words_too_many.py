"""The exception has a message of 50 MB, lone surrogates in it, a class name of 1 MB and five hundred base classes."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
kind = ValueError
for number in range(500):
    kind = type(f"E{number}" + "x" * 1_000_000 * (number == 499), (kind,), {})

def scores(x, W_q, W_k):
    raise kind("\ud800 \x00 " + "x" * 50_000_000)

# %% twin: scores
def scores(x, W_q, W_k):
    try:
        raise UnicodeError("\ud800", "x" * 100_000)
    except ValueError:
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
