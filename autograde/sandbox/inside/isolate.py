"""The walls of one child of the warm server, built by itself before any code of a student runs in it.

The server sits behind bubblewrap, alone with our own code. A child leaves the server's namespaces, puts its own disks
over the shared ones, and gives up every privilege that it needed for that: what a sandbox of its own would have had.
"""

import base64
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import socket
import stat
import struct
import sys
from typing import Any

import launch  # type: ignore[import-not-found]

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    *(0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000),
    *(0x1000_0000, 0x2000_0000, 0x4000_0000),
)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVS, _SECCOMP_FILTER = 4, 22, 38, 2
_CAPABILITY_VERSION = 0x2008_0522
#: What bubblewrap covers of a fresh /proc, because some of it could be written otherwise.
_PROC = ("sys", "sysrq-trigger", "irq", "bus")

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def leave_namespaces() -> None:
    """Processes forked from here on have pids, files, network, shared memory and a host name of their own."""
    _check(_libc.unshare(_NEWNS | _NEWUTS | _NEWIPC | _NEWPID | _NEWNET), "unshare")


def namespaces() -> list[int]:
    """Descriptors of this process's namespaces: that of pids first, for `fork_into`; the others for `enter`."""
    return [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("pid", "mnt", "uts", "ipc", "net")]


def fork_into(pids: int) -> int:
    """Fork a process that begins in another pid namespace, whose first process must be there; returns as `os.fork`."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    try:
        _check(_libc.setns(pids, _NEWPID), "setns pid")
        try:
            child = os.fork()
        except BaseException:
            child = -1
            raise
        finally:
            if child:
                _check(_libc.setns(own, _NEWPID), "setns back")
    finally:
        os.close(own)
    return child


def enter(others: list[int]) -> None:
    """See what those see who are in these namespaces, and be seen."""
    for descriptor in others:
        _check(_libc.setns(descriptor, 0), "setns")
        os.close(descriptor)


def hide_group() -> None:
    """Let this child see its control group as the top of all, where Linux knows such namespaces."""
    _libc.unshare(_NEWCGROUP)


def furnish(spec: dict[str, Any]) -> None:
    """Mount what belongs to this child alone; the first process of the new pid namespace must do it.

    Args:
        spec: `room` and `io` (the child's sockets, and where it finds them), `rooms` (everybody's, which vanish),
            `disks` (paths) of `scratch` bytes each.
    """
    _mount(None, "/", None, _PRIVATE | _REC)
    _mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    for name in _PROC:
        with contextlib.suppress(FileNotFoundError):
            _bind(f"/proc/{name}", f"/proc/{name}")
    _mount("devpts", "/dev/pts", "devpts", _NOSUID | _NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    for disk in spec["disks"]:
        _cover(disk, f"mode=1777,size={spec['scratch']}")
    _bind(spec["room"], spec["io"])
    _mount("tmpfs", spec["rooms"], "tmpfs", _RDONLY | _NOSUID | _NODEV, "mode=0555,size=4096")
    _raise_loopback()


def _mount(source: "str | None", target: str, kind: "str | None", flags: int, options: str = "") -> None:
    words = [os.fsencode(word) if word is not None else None for word in (source, target, kind)]
    _check(_libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None), f"mount {target}")


def _bind(source: str, target: str) -> None:
    if not os.path.exists(source):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
    _mount(source, target, None, _BIND | _REC)
    _mount(None, target, None, _BIND | _REMOUNT | _RDONLY | _NOSUID | _NODEV)


def _cover(disk: str, options: str) -> None:
    """Put an empty disk over a shared one; what is mounted below it (an environment in /tmp, say) is there again."""
    kept = [(place, os.open(place, os.O_PATH), _folders(disk, place)) for place in _mounted_below(disk)]
    _mount("tmpfs", disk, "tmpfs", _NOSUID | _NODEV, options)
    for place, descriptor, folders in kept:
        for folder, mode in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
                os.chmod(folder, mode)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.makedirs(place, exist_ok=True)
        else:
            _write(place, "")
        _mount(f"/proc/self/fd/{descriptor}", place, None, _BIND | _REC)
        os.close(descriptor)


def _folders(disk: str, place: str) -> list[tuple[str, int]]:
    """The folders between a disk and a place on it, outermost first, each with its mode."""
    names = os.path.relpath(os.path.dirname(place), disk).split("/")
    paths = [os.path.join(disk, *names[: count + 1]) for count in range(len(names)) if names != ["."]]
    return [(path, stat.S_IMODE(os.stat(path).st_mode)) for path in paths]


def _mounted_below(disk: str) -> list[str]:
    """The outermost places below a disk where something is mounted."""
    with open("/proc/self/mountinfo", "rb") as file:
        places = sorted({os.fsdecode(line.split()[4].decode("unicode_escape").encode("latin-1")) for line in file})
    found: list[str] = []
    for place in places:
        if place.startswith(f"{disk}/") and not any(place.startswith(f"{outer}/") for outer in found):
            found.append(place)
    return found


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 1)  # ifreq: name, IFF_UP
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS


def become_ordinary(uid: "int | None") -> None:
    """Be a user without capabilities, for good.

    Args:
        uid: the user to become, where root started the server; None where an ordinary user did: then this process gets
            a user namespace of its own, in which it is an ordinary user, and its processes are counted alone.
    """
    if uid is None:
        outside = os.getuid(), os.getgid()
        _check(_libc.unshare(_NEWUSER), "unshare")
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"1000 {outside[0]} 1")
        _write("/proc/self/gid_map", f"1000 {outside[1]} 1")
    else:
        launch.drop(uid)
    drop_capabilities()
    # The kernel shuts /proc/self to one who changed the user. It holds nothing that this user may not see.
    _check(_libc.prctl(_SET_DUMPABLE, 1, 0, 0, 0), "dumpable")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def drop_capabilities() -> None:
    """Give up what this process may do beyond any user; it gets nothing back by starting a program either."""
    _check(_libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


def hide() -> None:
    """Let nobody of this user read or trace this process."""
    _check(_libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")


def filter_calls(program: str) -> None:
    """Refuse system calls from now on.

    Args:
        program: see `autograde.sandbox.seccomp`, in base64.
    """
    code = base64.b64decode(program)
    given = _Program(len(code) // 8, code)
    _check(_libc.prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(given), 0, 0), "seccomp")


def _trial(spec: dict[str, Any]) -> int:
    """Build walls as for a sandbox, enter them, give up everything; returns an exit code."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        leave_namespaces()
        if os.fork() == 0:
            furnish(spec)
            socket.send_fds(theirs, [b"here"], namespaces())
            theirs.recv(1)
        os._exit(0)
    theirs.close()
    word, descriptors, _, _ = socket.recv_fds(ours, 16, 8)
    if not word:
        return 1
    child = fork_into(descriptors[0])
    if child == 0:
        enter(descriptors[1:])
        become_ordinary(None if os.getuid() else 1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":  # whether this machine lets a server build walls; an exception says what it forbids
    sys.exit(_trial(json.loads(sys.argv[1])))
