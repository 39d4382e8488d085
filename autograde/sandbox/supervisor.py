"""Keeps one sandbox: starts it, watches memory and processes, ends everything when its owner is gone.

The sandbox is bubblewrap's, or a child of the warm server (`inside/warm.py`), which sits behind a bubblewrap already.

Run as `python -I -S supervisor.py SPEC`, standard library only. It exists because bubblewrap's --die-with-parent
goes by the thread that launched it, and because a limit on resident memory needs somebody who looks. Its standard input
is a pipe from the owner; when that closes, for whatever reason, the sandbox dies. Where the machine gives control
groups (`cgroups.py`), the sandbox is put into some, too.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

INTERVAL = 0.2
PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(root: int) -> "dict[int, tuple[int, int]]":
    """Processes below `root`: pid -> (threads, resident bytes)."""
    found: dict[int, tuple[int, int]] = {}
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        fields = stat(int(name))
        if not fields:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        found[int(name)] = (int(fields[17]), int(fields[21]) * PAGE)
    tree, queue = {}, [root]
    while queue:
        pid = queue.pop()
        if pid in found:
            tree[pid] = found[pid]
        queue += children.get(pid, [])
    return tree


def stat(pid: int) -> "list[bytes]":
    """What the system says of a process, from its state on (see proc(5)); empty when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def proportional(pid: int) -> int:
    """Resident bytes of a process with shared pages counted once among those who share them; 0 when it is gone.

    Where that cannot be read, what is resident now: a process that ended meanwhile must not count with what it had.
    """
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        fields = stat(pid)
        return int(fields[21]) * PAGE if fields else 0


def crowded(pid: int, disks: "list[str]", entries: int) -> bool:
    """Whether one of the sandbox's own disks holds too many files: empty ones have no size, but take memory, too."""
    for disk in disks:
        try:
            found = os.statvfs(f"/proc/{pid}/root{disk}")
        except OSError:
            continue
        if found.f_files and found.f_files - found.f_ffree > entries:
            return True
    return False


def excess(sandbox: "Cold | Warm", spec: dict) -> "str | None":
    """Which limit the sandbox is over, if any."""
    tree = descendants(sandbox.pid)
    if any(crowded(pid, spec["disks"], spec["entries"]) for pid in sandbox.first(tree)):
        return "files"
    if sum(threads for threads, _ in tree.values()) > spec["processes"]:
        return "processes"
    memory = sum(resident for _, resident in tree.values())
    if memory > spec["memory"]:  # so look at it closely, which takes time
        memory = sum(proportional(pid) for pid in tree)
    return "memory" if memory > spec["memory"] else None


def parent(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    fields = stat(pid)
    return int(fields[1]) if fields else 0


class Cold:
    """A sandbox started by bubblewrap, whose process is `pid`."""

    def __init__(self, spec: dict, said: int, group: Any) -> None:
        self._child = subprocess.Popen(
            spec["command"],
            pass_fds=spec["fds"],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env={},
            preexec_fn=group.join,  # we have one thread, so this is sound; later a child could be outside already
        )
        self.pid = self._child.pid

    def code(self) -> "int | None":
        """How it ended, None while it lives."""
        code = self._child.poll()
        return code if code is None or code >= 0 else 128 - code

    def first(self, tree: "Iterable[int]") -> "list[int]":
        """The processes that see the sandbox's files and that nobody inside can end."""
        return [pid for pid in tree if pid != self.pid and parent(pid) == self.pid]

    def end(self) -> None:
        """End it from its first process outwards, so that the time it used is counted on the way."""
        for pid in self.first(descendants(self.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            self._child.wait(2)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


class Warm:
    """A sandbox forked by the warm server. `pid` is the first process of its pid namespace."""

    def __init__(self, spec: dict, said: int, group: Any) -> None:
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._line.connect(spec["warm"])
        socket.send_fds(self._line, [json.dumps(spec["ask"]).encode()], [*spec["fds"], said])
        self.pid = self._met(spec["start"])
        self._descriptor = os.pidfd_open(self.pid)
        group.join(self.pid)
        self._line.send(b"go")  # it waits for that, so that all that comes of it is in the group

    def _met(self, seconds: float) -> int:
        """The pid that the operating system gives for whoever says that the sandbox is built.

        Raises:
            ConnectionError: nobody does in time, or the server or our owner is gone.
        """
        if self._line.fileno() not in select.select([self._line.fileno(), 0], [], [], seconds)[0]:
            raise ConnectionError("the warm server does not answer")
        word, extra, _, _ = self._line.recvmsg(16, socket.CMSG_SPACE(12))
        if not word or not extra:
            raise ConnectionError("the warm server built no sandbox")
        return struct.unpack("3i", extra[0][2])[0]

    def code(self) -> "int | None":
        """How it ended, as far as can be known from here; None while it lives."""
        return 1 if select.select([self._descriptor], [], [], 0)[0] else None

    def first(self, tree: "Iterable[int]") -> "list[int]":
        return [self.pid]

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        select.select([self._descriptor], [], [], 5)


def main() -> int:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import cgroups  # type: ignore[import-not-found]

    spec = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    group = cgroups.Group(spec.get("groups", {}), {"memory": spec.get("ceiling", 0), "pids": spec["processes"]})
    pipe, theirs = os.pipe()
    reason, said = None, b""
    sandbox: Cold | Warm | None = None
    try:
        sandbox = Warm(spec, theirs, group) if "warm" in spec else Cold(spec, theirs, group)
    except OSError as error:
        reason, said = "start", str(error).encode()
    for descriptor in [*spec["fds"], theirs]:
        os.close(descriptor)
    while sandbox is not None and sandbox.code() is None and reason is None:
        readable, _, _ = select.select([0, pipe], [], [], INTERVAL)
        if 0 in readable and not os.read(0, 4096):
            reason = "owner"
        if pipe in readable:
            piece = os.read(pipe, 65536)
            said = (said + piece)[-4000:]
            if not piece:  # nobody can say anything any more; ends in a moment
                time.sleep(INTERVAL)
        reason = reason or excess(sandbox, spec)
    code = 1
    if reason is None and group.out_of_memory():
        reason = "memory"
    if sandbox is not None:
        sandbox.end()
        code = sandbox.code() or 0
    group.remove()
    with open(spec["report"], "w") as file:
        json.dump({"reason": reason, "said": said.decode(errors="replace")}, file)
    return code


if __name__ == "__main__":
    sys.exit(main())
