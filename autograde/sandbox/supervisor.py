"""Keeps one sandbox: starts it, watches memory and processes, ends everything when its owner is gone.

The sandbox is bubblewrap's, or a child of the warm server (`inside/warm.py`), which sits behind a bubblewrap already.

Run as `python -I -S supervisor.py SPEC`, standard library only. It exists because bubblewrap's --die-with-parent
goes by the thread that launched it, and because a limit on resident memory needs somebody who looks. Its standard input
is a pipe from the owner; when that closes, for whatever reason, the sandbox dies. Where the machine gives control
groups (`cgroups.py`), the sandbox is put into some, too.

It starts once for each sandbox, so it imports little: what it is told and reports is `marshal`led, as hex.
"""

import marshal
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INTERVAL, PROC = 0.2, "/proc"
PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(root: int) -> "list[int]":
    """Processes below `root`, and itself."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        if fields := stat(f"/proc/{name}"):
            children.setdefault(int(fields[1]), []).append(int(name))
    tree, queue = [], [root]
    while queue:
        pid = queue.pop()
        tree.append(pid)
        queue += children.get(pid, [])
    return tree


def stat(process: str) -> "list[bytes]":
    """What the system says of a process (its folder in a /proc), from its state on: proc(5). Empty if it is gone."""
    try:
        with open(f"{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def proportional(process: str) -> int:
    """Resident bytes of a process with shared pages counted once among those who share them; 0 when it is gone.

    Where that cannot be read, what is resident now: a process that ended meanwhile must not count with what it had.
    """
    try:
        with open(f"{process}/smaps_rollup") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        fields = stat(process)
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
    processes = sandbox.processes()
    if any(crowded(pid, spec["disks"], spec["entries"]) for pid in sandbox.first()):
        return "files"
    counted = [(int(fields[17]), int(fields[21]) * PAGE) for fields in map(stat, processes) if fields]
    if sum(threads for threads, _ in counted) > spec["processes"]:
        return "processes"
    memory = sum(resident for _, resident in counted)
    if memory > spec["memory"]:  # so look at it closely, which takes time
        memory = sum(map(proportional, processes))
    return "memory" if memory > spec["memory"] else None


class Cold:
    """A sandbox started by bubblewrap, whose process is `pid`."""

    def __init__(self, spec: dict, said: int, group: "Any") -> None:
        import subprocess

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

    def processes(self) -> "list[str]":
        return [f"/proc/{pid}" for pid in descendants(self.pid)]

    def first(self) -> "list[int]":
        """The processes that see the sandbox's files and that nobody inside can end."""
        tree = [pid for pid in descendants(self.pid) if pid != self.pid]
        return [pid for pid in tree if (fields := stat(f"/proc/{pid}")) and int(fields[1]) == self.pid]

    def end(self) -> None:
        """End it from its first process outwards, so that the time it used is counted on the way."""
        for pid in self.first():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for _ in range(200):
            if self._child.poll() is not None:
                return
            time.sleep(0.01)
        self._child.kill()
        self._child.wait()


class Warm:
    """A sandbox built by the warm server: the first process of its pid namespace, and a kernel."""

    def __init__(self, spec: dict, said: int, group: "Any") -> None:
        import _socket  # the other one takes a third of our start

        self._line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        self._line.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
        self._line.connect(spec["warm"])
        handed = b"".join(number.to_bytes(4, sys.byteorder) for number in [*spec["fds"], said])
        self._line.sendmsg([spec["ask"].encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handed)])
        self._lives: list[int] = []
        self.pid = self._met(spec["start"], group, _socket.CMSG_SPACE(12))
        self._met(spec["start"], group, _socket.CMSG_SPACE(12))  # the kernel

    def _met(self, seconds: float, group: "Any", room: int) -> int:
        """The pid that the operating system gives for whoever says that it is there. It waits for our answer, so that
        it cannot end before we hold it, and all that comes of it is in the group.

        Raises:
            ConnectionError: nobody does in time, or the server or our owner is gone.
        """
        if self._line.fileno() not in select.select([self._line.fileno(), 0], [], [], seconds)[0]:
            raise ConnectionError("the warm server does not answer")
        word, extra, _, _ = self._line.recvmsg(16, room)
        if not word or not extra:
            raise ConnectionError("the warm server built no sandbox")
        pid = int.from_bytes(extra[0][2][:4], sys.byteorder)
        self._lives.append(os.pidfd_open(pid))
        group.join(pid)
        self._line.send(b"go")
        return pid

    def code(self) -> "int | None":
        """How it ended, as far as can be known from here; None while it lives."""
        return 1 if select.select(self._lives, [], [], 0)[0] else None

    def processes(self) -> "list[str]":
        """All in its pid namespace: they are in its own /proc."""
        inside = f"/proc/{self.pid}/root{PROC}"
        try:
            return [f"{inside}/{name}" for name in os.listdir(inside) if name.isdigit()]
        except OSError:
            return []

    def first(self) -> "list[int]":
        return [self.pid]

    def end(self) -> None:
        """End its first process; the operating system ends the others, and that one last."""
        try:
            signal.pidfd_send_signal(self._lives[0], signal.SIGKILL)
        except ProcessLookupError:
            return
        select.select(self._lives[:1], [], [], 5)


class NoGroup:
    """Where the machine gives no control groups, the watchdog is alone."""

    def join(self, pid: int = 0) -> None: ...

    def out_of_memory(self) -> bool:
        return False

    def remove(self) -> None: ...


def group_of(spec: dict) -> "Any":
    """The control groups for the sandbox; see `cgroups.Group`."""
    if not spec.get("groups"):
        return NoGroup()
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import cgroups  # type: ignore[import-not-found]

    return cgroups.Group(spec["groups"], {"memory": spec["ceiling"], "pids": spec["processes"]})


def main() -> int:
    spec = marshal.loads(bytes.fromhex(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    group = group_of(spec)
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
    if os.path.isdir(os.path.dirname(spec["report"])):  # else nobody is left who would read it
        with open(spec["report"], "wb") as file:
            marshal.dump({"reason": reason, "said": said.decode(errors="replace")}, file)
    return code


if __name__ == "__main__":
    sys.exit(main())
