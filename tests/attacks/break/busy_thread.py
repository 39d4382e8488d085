"""A right answer, and threads that compute and print for ever beside it."""
# exercise: none
# expect: keeps
# spares: all

# %% free after setup
import threading, time

def busy():
    while True:
        sum(range(1000))

def chatty():
    while True:
        print("still here")
        time.sleep(0.01)

for work in (busy, chatty):
    threading.Thread(target=work, daemon=True).start()
