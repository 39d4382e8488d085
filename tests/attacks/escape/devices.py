"""Devices: disks, memory, the kernel's log, virtual machines, the terminal from which grading was started."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, os, stat

names = ["mem", "kmem", "port", "kmsg", "kvm", "fuse", "net/tun", "tty", "console", "vda", "sda", "nvme0n1", "uinput"]
for path in ["/dev/" + name for name in names] + glob.glob("/dev/input/*") + glob.glob("/dev/tty[0-9]*"):
    for mode in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.close(os.open(path, mode | os.O_NONBLOCK | os.O_NOCTTY))
            print("ESCAPED: opened", path)
        except OSError:
            pass
for kind, device in ((stat.S_IFBLK, os.makedev(254, 0)), (stat.S_IFCHR, os.makedev(1, 1))):
    try:
        os.mknod("node", kind | 0o600, device)
        os.close(os.open("node", os.O_RDONLY))
        print("ESCAPED: made a device and opened it")
    except OSError:
        pass

# %% twin: free before attention
import os

with open("/dev/null", "w") as nowhere, open("/dev/urandom", "rb") as noise:
    nowhere.write(str(noise.read(4)))
print(os.isatty(0))
