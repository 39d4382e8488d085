"""The cell does not compile."""
# exercise: scores
# expect: zero
# spares: attention

# %% scores
#| def scores(x, W_q, W_k)
#|     return (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
try:
    compile("def scores(x", "mine", "exec")
except SyntaxError as error:
    print("as expected:", error.msg)
