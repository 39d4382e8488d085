"""Other processes of the machine are looked for, signalled, traced and re-prioritised."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import ctypes, os, re

libc = ctypes.CDLL(None)
outside = re.compile(rb"nbgrader|autograde\W|jupyter-?lab|jupyterhub|pytest|papermill|systemd|sshd|cron|dask")
for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
    try:
        words = open(f"/proc/{pid}/cmdline", "rb").read()
    except OSError:
        continue
    first = words.split(b"\0")[:3]
    if outside.search(b" ".join(os.path.basename(word) for word in first)):
        print("ESCAPED: a process of the machine is visible:", pid, b" ".join(first)[:80])
        attempts = {"signalled": lambda: os.kill(pid, 0), "slowed": lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)}
        for what, action in attempts.items():
            try:
                action()
                print("ESCAPED:", what, pid)
            except OSError:
                pass
parent, child = os.getppid(), os.fork()
if child == 0:
    os._exit(libc.ptrace(0x4206, parent, None, None) == 0)      # seize: the parent is not stopped
name = open(f"/proc/{parent}/comm").read().strip()
if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) and name != "bwrap":      # that one is inside
    print("ESCAPED: traced the parent", name)

# %% twin: free before attention
import os

print("I am", os.getpid() > 0, "with", len(os.listdir("/proc/self/task")) > 0, "threads")
