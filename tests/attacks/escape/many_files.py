"""A hundred thousand empty files and folders, in the working folder and in every temporary one, are left behind."""
# exercise: none
# expect: graded
# spares: scores

# %% free before attention
import os, time

deadline = time.monotonic() + 15
for place in (".", "/tmp", "/dev/shm"):
    try:
        for number in range(35_000):
            os.mkdir(f"{place}/many{number}") if number % 2 else open(f"{place}/many{number}", "w").close()
            if time.monotonic() > deadline:
                break
    except OSError:
        pass

# %% twin: free before attention
for number in range(20):
    open(f"page{number}.txt", "w").close()
