"""`input()` inside the tested function: nobody is there to answer."""
# exercise: scores
# expect: zero
# spares: all
# says: input

# %% scores
def scores(x, W_q, W_k):
    scale = float(input("scale? "))
    return scale * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
def ask(question, input=lambda question: "1.0"):      # an `input` of my own
    return float(input(question))

def scores(x, W_q, W_k):
    return ask("scale? ") * (x @ W_q.mT) @ (x @ W_k.mT).mT
