"""An endless loop that swallows KeyboardInterrupt, everything else and the signals."""
# exercise: scores
# expect: zero
# spares: all
# says: took longer

# %% scores
import signal, time

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM):
    signal.signal(number, lambda *args: None)

def scores(x, W_q, W_k):
    while True:
        try:
            time.sleep(0.1)
        except BaseException:
            pass

# %% twin: scores
import signal, time

def scores(x, W_q, W_k):
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)      # do not disturb while I compute
    try:
        return (x @ W_q.mT) @ (x @ W_k.mT).mT
    except KeyboardInterrupt:
        return None
    finally:
        signal.signal(signal.SIGINT, old)
