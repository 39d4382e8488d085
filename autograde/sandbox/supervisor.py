"""Keeps one sandbox: starts bubblewrap, watches memory and processes, ends everything when its owner is gone.

Run as `python -I -S supervisor.py SPEC`, standard library only. It exists because bubblewrap's --die-with-parent
goes by the thread that launched it, and because a limit on resident memory needs somebody who looks. Its standard input
is a pipe from the owner; when that closes, for whatever reason, the sandbox dies.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys

INTERVAL = 0.2
PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(root: int) -> "dict[int, tuple[int, int]]":
    """Processes below `root`: pid -> (threads, resident bytes)."""
    found: dict[int, tuple[int, int]] = {}
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
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


def proportional(pid: int) -> int:
    """Resident bytes of a process with shared pages counted once among those who share them."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


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


def excess(root: int, memory: int, processes: int, disks: "list[str]", entries: int) -> "str | None":
    """Which limit the sandbox is over, if any."""
    tree = descendants(root)
    if any(crowded(pid, disks, entries) for pid in tree if parent(pid) == root):
        return "files"
    if sum(threads for threads, _ in tree.values()) > processes:
        return "processes"
    if sum(resident for _, resident in tree.values()) > memory:
        exact = sum(proportional(pid) or resident for pid, (_, resident) in tree.items())
        if exact > memory:
            return "memory"
    return None


def end(child: "subprocess.Popen[bytes]") -> None:
    """End the sandbox from its first process outwards, so that the time it used is counted on the way."""
    for pid in descendants(child.pid):
        if pid != child.pid and parent(pid) == child.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    try:
        child.wait(2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def parent(pid: int) -> int:
    """The parent of a process, 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def main() -> int:
    spec = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe, theirs = os.pipe()
    child = subprocess.Popen(
        spec["command"], pass_fds=spec["fds"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env={}
    )
    for descriptor in [*spec["fds"], theirs]:
        os.close(descriptor)
    reason, said = None, b""
    while child.poll() is None and reason is None:
        readable, _, _ = select.select([0, pipe], [], [], INTERVAL)
        if 0 in readable and not os.read(0, 4096):
            reason = "owner"
        if pipe in readable:
            said = (said + os.read(pipe, 65536))[-4000:]
        reason = reason or excess(
            child.pid, spec["memory"], spec["processes"], spec.get("disks", []), spec.get("entries", 0)
        )
    end(child)
    with open(spec["report"], "w") as file:
        json.dump({"reason": reason, "said": said.decode(errors="replace")}, file)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


if __name__ == "__main__":
    sys.exit(main())
