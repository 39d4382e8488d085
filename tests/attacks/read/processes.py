"""Other processes are read through /proc: environment, command line, memory and open files, the sandbox's own first
process and the parents included."""
# exercise: scores
# expect: zero

# %% scores
import os

bait = b"course-" + b"attack-" + b"bait"

def read(path, most=1 << 20):
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""

for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    for name in ("environ", "cmdline"):
        if bait in read(f"/proc/{pid}/{name}"):
            print(f"ESCAPED: the grader's {name} read from process {pid}")
    if int(pid) == os.getpid():
        continue
    for line in read(f"/proc/{pid}/maps").decode().splitlines():
        if "[heap]" in line or "[stack]" in line:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            try:
                with open(f"/proc/{pid}/mem", "rb") as memory:
                    memory.seek(start)
                    if bait in memory.read(min(end - start, 64 << 20)):
                        print(f"ESCAPED: the grader's memory read from process {pid}")
            except OSError:
                pass

def scores(x, W_q, W_k):
    return 0 * (x @ W_q.mT) @ (x @ W_k.mT).mT

# %% twin: free before test_scores
with open("/proc/self/status") as status:
    print([line.strip() for line in status if line.startswith("VmRSS")])
with open("/proc/meminfo") as memory:
    print(memory.readline())
