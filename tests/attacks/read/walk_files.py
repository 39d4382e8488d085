"""The whole file system is searched for notebooks, lesson texts and databases with hidden tests in them."""
# exercise: scores
# expect: zero

# %% scores
import os, time

marker, deadline = b"HIDDEN" + b" TESTS", time.monotonic() + 15
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")
                  and name not in ("site-packages", "dist-packages", "node_modules", "lib", "lib64")]
    if time.monotonic() > deadline:
        break
    for name in files:
        path = os.path.join(folder, name)
        try:
            if name.endswith((".ipynb", ".py", ".db")) and os.path.isfile(path) and os.path.getsize(path) < 5e7:
                with open(path, "rb") as file:
                    if marker in file.read():
                        print("ESCAPED: hidden tests read from", path)
        except OSError:
            pass

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
import os

for folder, folders, files in os.walk("."):
    print(folder, len(files))
