"""The tested function reads address 0."""
# exercise: scores
# expect: zero
# spares: all
# says: ended the kernel

# %% scores
import ctypes

def scores(x, W_q, W_k):
    return ctypes.string_at(0)

# %% twin: scores
import ctypes

def scores(x, W_q, W_k):
    text = ctypes.create_string_buffer(b"scores")
    assert ctypes.string_at(ctypes.addressof(text)) == b"scores"
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
