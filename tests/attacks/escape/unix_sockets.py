"""Sockets of the host that are names and no addresses: the bait's and others without a file, and those of the
system's services."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import glob, socket

names = ["\0course-attack-bait", "\0/tmp/.X11-unix/X0", "\0/tmp/.ICE-unix/1"]
names += ["/run/dbus/system_bus_socket", "/run/systemd/private", "/run/docker.sock", "/run/containerd/containerd.sock",
          "/run/systemd/journal/socket", "/run/nscd/socket", "/tmp/.X11-unix/X0", "/run/munge/munge.socket.2"]
for path in glob.glob("/run/user/*/*") + glob.glob("/run/**/*.sock", recursive=True) + glob.glob("/tmp/ssh-*/*"):
    names.append(path)
for name in names:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with socket.socket(socket.AF_UNIX, kind) as line:
            try:
                line.settimeout(0.5)
                line.connect(name)
                print("ESCAPED: connected to", repr(name))
            except OSError:
                pass

# %% twin: free before attention
import os, socket, tempfile

path = os.path.join(tempfile.mkdtemp(), "mine")
with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as line:
    listener.bind(path)
    listener.listen()
    line.connect(path)
print("talked to myself")
