"""Right answers; the process refuses to end: exit hooks that wait, signals that are ignored, a thread that is no
daemon."""
# exercise: none
# expect: keeps
# spares: all

# %% free at end
import atexit, signal, threading, time

atexit.register(time.sleep, 1_000_000)
threading.Thread(target=time.sleep, args=(1_000_000,)).start()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
