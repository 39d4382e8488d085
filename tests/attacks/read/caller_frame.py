"""The function walks up the frames of its callers, looks for the text of the test and for the expected value, and
returns what it finds."""
# exercise: scores
# expect: zero

# %% scores
import ast, linecache, sys
import torch

marker = "HIDDEN" + " TESTS"

def scores(x, W_q, W_k):
    frame, found = sys._getframe(1), None
    while frame:
        code, names = frame.f_code, {**frame.f_globals, **frame.f_locals}
        text = "" if "site-packages" in code.co_filename else "".join(linecache.getlines(code.co_filename))
        if marker in text and "check." in text:
            print("ESCAPED: the text of the hidden tests is in a caller's frame")
        for name in ("right", "expected", "wanted", "want", "alone"):
            value = names.get(name)
            if isinstance(value, torch.Tensor) and value.shape == (*x.shape[:-1], x.shape[-2]):
                found = value.to(x.dtype)
        frame = frame.f_back
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT if found is None else found

# %% twin: scores
import sys

def scores(x, W_q, W_k):
    where = sys._getframe().f_code.co_name       # for my own log
    assert where == "scores"
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
