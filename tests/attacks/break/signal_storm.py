"""A timer raises an exception in the main thread a hundred times a second, wherever that is at the time."""
# exercise: none
# expect: graded

# %% free after setup
import signal

def storm(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, storm)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)

# %% twin: free after setup
import signal

ticks = []
signal.signal(signal.SIGALRM, lambda number, frame: ticks.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
