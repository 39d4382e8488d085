"""More rights: another user, capabilities, programs that run as root, higher limits, a better priority, the clock."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import os, resource, subprocess, time

def attempt(what, action):
    try:
        if action() is not False:
            print("ESCAPED:", what)
    except (OSError, ValueError, subprocess.SubprocessError):
        pass

def raised(name):
    limit = getattr(resource, name)
    before = resource.getrlimit(limit)[1]
    if before == resource.RLIM_INFINITY:
        return False
    resource.setrlimit(limit, (before, resource.RLIM_INFINITY))

if os.getuid() == 0 and "0 4294967295" in " ".join(open("/proc/self/uid_map").read().split()[1:]):
    print("ESCAPED: student code runs as the machine's root")
if int(next(line for line in open("/proc/self/status") if line.startswith("CapEff")).split()[1], 16):
    print("ESCAPED: student code has capabilities")
if os.getuid():
    attempt("became root", lambda: os.setuid(0))
    attempt("became another user", lambda: os.setresuid(1, 1, 1))
for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_MEMLOCK"):
    attempt("raised " + name, lambda: raised(name))
attempt("set the clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
attempt("got a better priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
for command in (["sudo", "-n", "id"], ["su", "-c", "id"], ["pkexec", "id"], ["doas", "id"]):
    attempt("ran " + command[0], lambda: subprocess.run(command, stdin=-3, timeout=3).returncode == 0)

# %% twin: free before attention
import os, resource

print(os.getuid() == os.geteuid(), resource.getrlimit(resource.RLIMIT_NOFILE))
os.nice(1)                                 # less important than others
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
