"""An answer that never ends: a thread sends bytes for ever, as fast as the judge takes them."""
# exercise: scores
# expect: zero

# %% scores
import gc, socket, struct, threading, time

def lines():
    """The open lines of this process to the judge, by whatever name."""
    return [s for s in gc.get_objects() if type(s) is socket.socket and s.family == socket.AF_UNIX and s.fileno() >= 0]

def flood(line):
    try:
        line.sendall(struct.pack("<II", 100, 60 << 20))
        while True:
            line.sendall(b"\x91" * (1 << 20))
    except OSError:
        pass

def scores(x, W_q, W_k):
    for line in lines():
        threading.Thread(target=flood, args=(line,), daemon=True).start()
    time.sleep(3)
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before scores
import itertools

stream = itertools.count()                 # endless too, but nobody runs to its end
print(next(stream), next(stream))
