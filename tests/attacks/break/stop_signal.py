"""The kernel stops itself with SIGSTOP: it lives, answers nothing and takes no interrupt."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import os, signal

def scores(x, W_q, W_k):
    os.kill(os.getpid(), signal.SIGSTOP)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import os, signal

heard = []
signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))

def scores(x, W_q, W_k):
    os.kill(os.getpid(), signal.SIGUSR1)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
