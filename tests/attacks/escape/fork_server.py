"""The process that this kernel was forked from and the server behind it: its rooms and its line are looked for, its
memory is written, its descriptors are taken, its other children are called."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import ctypes, glob, os, signal, socket

libc = ctypes.CDLL(None, use_errno=True)
above = {1, os.getppid()} - {os.getpid()}
word = ctypes.create_string_buffer(b"mine")

class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

piece = Piece(ctypes.addressof(word), 4)
for pid in above:
    if libc.process_vm_writev(pid, ctypes.byref(piece), 1, ctypes.byref(piece), 1, 0) > 0:
        print("ESCAPED: wrote to the memory of", pid)
    descriptor = libc.syscall(434, pid, 0)                            # pidfd_open
    for number in range(3, 20) if descriptor >= 0 else ():
        if libc.syscall(438, descriptor, number, 0) >= 0:             # pidfd_getfd
            print("ESCAPED: took descriptor", number, "of", pid)
    try:
        print("ESCAPED: rooms of others", [name for name in os.listdir(f"/proc/{pid}/root/run/course/rooms")] or 1 / 0)
    except (OSError, ZeroDivisionError):
        pass
for path in {"/run/course/line", *glob.glob("/run/course/**", recursive=True), *glob.glob("/tmp/course-*/**")}:
    try:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)   # of this kind is the server's line only
        line.connect(path)
        print("ESCAPED: asked the server at", path)
    except OSError:
        pass
if others := glob.glob("/run/course/rooms/*"):
    print("ESCAPED: rooms of others", others)
for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGUSR1, signal.SIGPIPE):
    for pid in above:
        try:
            os.kill(pid, number)
        except OSError:
            pass

# %% twin: free before attention
import os, signal, socket

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
child = os.fork()
if child == 0:
    theirs.send(b"from my own child")
    os._exit(0)
print(ours.recv(100), os.waitpid(child, 0)[1])
