"""Switches of the operating system below /proc, /sys and the control groups: opened for writing, and the same value
is written back."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os

paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/pid_max", "/proc/sys/vm/overcommit_memory",
         "/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/file-max",
         "/proc/sys/user/max_user_namespaces", "/sys/kernel/mm/ksm/run",
         *glob.glob("/sys/fs/cgroup/**/pids.max", recursive=True)[:20],
         *glob.glob("/sys/fs/cgroup/**/memory.max", recursive=True)[:20], *glob.glob("/sys/fs/cgroup/cgroup.procs")]
for path in paths:
    try:
        with open(path, "r+") as file:
            value = file.read()
            file.seek(0)
            file.write(str(os.getpid()) if path.endswith("cgroup.procs") else value)
        print("ESCAPED: wrote", path)
    except (OSError, ValueError):
        pass

# %% twin: free before attention
import os

print(open("/proc/cpuinfo").readline().strip(), os.cpu_count(), os.getloadavg()[0] >= 0)
