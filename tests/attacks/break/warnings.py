"""A right answer that warns, logs, writes to stderr and draws a progress bar."""
# exercise: scores
# expect: keeps
# spares: all

# %% scores
import logging, sys, warnings
import numpy

log = logging.getLogger("mine")

def scores(x, W_q, W_k):
    for step in range(50):
        print(f"\r{step * 2:3d} % [{'#' * step:<50}]", end="", file=sys.stderr, flush=True)
    warnings.warn("this may be slow", RuntimeWarning)
    warnings.warn("a function of mine is old", DeprecationWarning)
    log.error("nothing is wrong")
    numpy.zeros(1) / numpy.zeros(1)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
