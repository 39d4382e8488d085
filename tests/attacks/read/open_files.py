"""Descriptors that the kernel inherited are read: notebooks, databases, and folders, from which one could climb
up."""
# exercise: scores
# expect: zero

# %% scores
import os, stat

marker = b"HIDDEN" + b" TESTS"
for number in map(int, os.listdir("/proc/self/fd")):
    try:
        kind, path = os.fstat(number).st_mode, os.readlink(f"/proc/self/fd/{number}")
        if stat.S_ISREG(kind) and marker in os.pread(number, 1 << 26, 0) and not path.endswith((".so", ".pyc")):
            print("ESCAPED: hidden tests read from descriptor", number, path)
        if stat.S_ISDIR(kind) and not path.startswith("/proc"):
            up = os.open("../../../../../..", os.O_RDONLY, dir_fd=number)
            if os.fstat(up).st_ino != os.stat("/").st_ino:
                print("ESCAPED: a descriptor leads to another root folder:", os.listdir(up)[:5])
    except OSError:
        pass

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
import os

number = os.open("notes.txt", os.O_RDWR | os.O_CREAT)
os.write(number, b"mine")
print(os.pread(number, 4, 0))
os.close(number)
