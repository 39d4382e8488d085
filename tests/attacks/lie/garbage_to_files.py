"""Garbage is written to every socket and pipe of the process, the kernel's own lines included."""
# exercise: scores
# expect: zero
# spares: all

# %% scores
import os, stat, threading, time

def spoil():
    until = time.monotonic() + 3
    while time.monotonic() < until:
        for number in range(1024):
            try:
                kind = os.fstat(number).st_mode
                if stat.S_ISSOCK(kind) or stat.S_ISFIFO(kind):
                    os.set_blocking(number, False)
                    os.write(number, os.urandom(1000))
            except OSError:
                pass

def scores(x, W_q, W_k):
    thread = threading.Thread(target=spoil)
    thread.start()
    thread.join()
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: scores
import os

def scores(x, W_q, W_k):
    reading, writing = os.pipe()           # my own pipe
    os.write(writing, b"garbage")
    assert os.read(reading, 7) == b"garbage"
    os.close(reading)
    os.close(writing)
    return (x @ W_q.mT) @ (x @ W_k.mT).mT
