"""New namespaces and mounts, in children: a user namespace in which one is root, a mount of fresh memory without a
limit, the namespaces of process 1, another root folder."""
# exercise: none
# expect: keeps
# spares: all

# %% free before attention
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
USER, MOUNT = 0x10000000, 0x00020000

def child(what, action):
    pid = os.fork()
    if pid == 0:
        try:
            code = 1 if action() else 0
        except BaseException:
            code = 0
        os._exit(code)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1:
        print("ESCAPED:", what)

def fresh_mount(flags):
    return libc.unshare(flags) == 0 and libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"size=64g") == 0

def enter(name):
    return libc.setns(os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0) == 0

child("mounted in the own namespace", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"size=1m") == 0)
child("mounted in a namespace of the student's", lambda: fresh_mount(USER | MOUNT))
child("mounted in a new mount namespace", lambda: fresh_mount(MOUNT))
child("made the system writable", lambda: libc.mount(None, b"/usr", None, 0x1020, None) == 0)
child("changed the root folder", lambda: os.chroot("/tmp") is None)
child("entered the namespace of process 1", lambda: enter("mnt"))
child("unmounted something", lambda: libc.umount2(b"/proc", 2) == 0)

# %% twin: free before attention
import os

print(os.uname().sysname, os.cpu_count())
