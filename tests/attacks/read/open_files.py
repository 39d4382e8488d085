"""Descriptors that the kernel inherited are read: notebooks, databases, and folders, from which one could climb
up."""
# exercise: scores
# expect: zero

# %% scores
import os, stat

marker = b"HIDDEN" + b" TESTS"
for number in range(1024):
    try:
        kind = os.fstat(number).st_mode
        if stat.S_ISREG(kind) and marker in os.pread(number, 1 << 26, 0):
            print("ESCAPED: hidden tests read from descriptor", number)
        if stat.S_ISDIR(kind):
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
