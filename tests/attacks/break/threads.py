"""Three thousand threads that wait for an event."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import threading

def scores(x, W_q, W_k):
    go, threads = threading.Event(), []
    try:
        for _ in range(3000):
            threads.append(threading.Thread(target=go.wait, daemon=True))
            threads[-1].start()
        print("ESCAPED: 3000 threads")
    except (RuntimeError, MemoryError):
        pass
    go.set()
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import threading

def scores(x, W_q, W_k):
    result = {}
    halves = [threading.Thread(target=lambda name, W: result.update({name: x @ W.mT}), args=pair)
              for pair in (("q", W_q), ("k", W_k))]
    for thread in halves:
        thread.start()
    for thread in halves:
        thread.join()
    return result["q"] @ result["k"].mT
