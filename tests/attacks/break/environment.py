"""Right answers; the environment is emptied, the clock stands still, sleeping takes no time, output is not UTF-8."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import locale, os, time

os.environ.clear()
now = time.time()
time.time = time.monotonic = time.perf_counter = lambda: now
time.sleep = lambda seconds: None
os.umask(0o777)
locale.setlocale(locale.LC_ALL, "C")
