"""The result is a dictionary that looks like the wire's own words for a tensor, an answer or an error."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
def scores(x, W_q, W_k):
    size = x.shape[-2]
    return {"tensor": ["float32", [size, size], 4 * size * size]}

# %% twin: free before scores
notes = {"tensor": ["float32", [4, 4], 64], "tuple": ("ok", None), "array": 3}      # my own words
print(notes)
