"""Processes that start a successor when they are about to leave, each in a session of its own, for one minute:
killing them one by one does not end them."""
# exercise: none
# expect: graded
# spares: scores

# %% free after test_scores
import os, signal, time

if os.fork() == 0:
    until = time.monotonic() + 60
    for _ in range(3):
        os.fork()
    while time.monotonic() < until:
        try:
            if os.fork():
                os._exit(0)
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        except OSError:
            pass
        time.sleep(0.05)
    os._exit(0)

# %% twin: free after test_scores
import multiprocessing

def square(number):
    return number * number

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(square, range(5)))
