"""Every process forks twelve times: 4096 processes where nothing stops it. They leave after three seconds."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import os, time

def scores(x, W_q, W_k):
    parent = os.getpid()
    for _ in range(12):
        try:
            os.fork()
        except OSError:
            break
    if os.getpid() != parent:
        time.sleep(3)
        os._exit(0)
    time.sleep(1)
    if len([name for name in os.listdir("/proc") if name.isdigit()]) > 1000:
        print("ESCAPED: more than 1000 processes")
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import os

children = []
for number in range(4):                    # four helpers, and I wait for each
    child = os.fork()
    if child == 0:
        os._exit(number)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
