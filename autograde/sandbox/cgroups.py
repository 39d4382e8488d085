"""Control groups: where a machine gives us some, Linux itself holds a sandbox's memory and processes.

They come beside the supervisor's watchdog, never in its place: it looks five times a second and names the limit, they
hold in between. A group is made only where that is our right: in v2 below a group that was delegated to us, in v1 below
our own if that is the top of what we see. Any other belongs to whoever started us, and is left alone.

Standard library only: the supervisor runs this beside itself.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

CONTROLLERS = ("memory", "pids")
#: The file of each controller's limit, in v2 and v1.
LIMITS = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max", "pids.max")}
#: More settings of v2 where they exist: no swap beside the memory, and all of a sandbox ends when there is no more.
MORE = {"memory": {"memory.swap.max": "0", "memory.oom.group": "1"}, "pids": {}}
#: Where a killed process is counted, in v2 and v1.
EVENTS = ("memory.events", "memory.oom_control")
PREFIX = "course-sandbox-"
#: Seconds that the dead may stay in a group.
MERCY = 2.0


def places(proc: str = "/proc/self") -> dict[str, str]:
    """The folder below which groups may be made, by controller; a controller that cannot be had is missing."""
    try:
        mounts, own = _mounts(f"{proc}/mountinfo"), _own(f"{proc}/cgroup")
    except (OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    for names, (root, top) in mounts.items():
        path = own.get(names)
        if path is None or not f"{path}/".startswith(f"{root}/"):  # our own group is not below what is mounted here
            continue
        folder = os.path.normpath(f"{top}/{path[len(root) :]}")
        found |= _delegated(folder, top) if names == ("",) else _topmost(names, folder, top)
    return found


def trial(where: dict[str, str]) -> dict[str, str]:
    """Those of `places` where a group can really be made: one is, and removed again."""
    group = Group(where, {"memory": 1 << 30, "pids": 64})
    made = {name: where[name] for name in group.folders}
    group.remove()
    return made


def version(place: str) -> str:
    """`v2` or `v1`."""
    return "v2" if os.path.exists(f"{place}/cgroup.controllers") else "v1"


class Group:
    """The groups of one sandbox, a folder for each controller; none where none can be had.

    Args:
        where: see `places`.
        limits: bytes for `memory`, processes and threads for `pids`.
    """

    def __init__(self, where: dict[str, str], limits: dict[str, int]) -> None:
        self.folders: dict[str, str] = {}
        for controller, place in where.items():
            _sweep(place)
            folder = f"{place}/{PREFIX}{os.getpid()}"
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder)
                newer = version(place) == "v2"
                _write(f"{folder}/{LIMITS[controller][0 if newer else 1]}", str(limits[controller]))
            except OSError:
                if folder not in self.folders.values():
                    _remove(folder)
                continue
            self.folders[controller] = folder
            for name, value in MORE[controller].items() if newer else ():
                with contextlib.suppress(OSError):
                    _write(f"{folder}/{name}", value)

    def join(self, pid: int = 0) -> None:
        """Put a process into the groups, this one by default. Where that fails, the watchdog is left."""
        for folder in sorted(set(self.folders.values())):
            with contextlib.suppress(OSError):
                _write(f"{folder}/cgroup.procs", str(pid))

    def out_of_memory(self) -> bool:
        """Whether Linux ended a process because the group had no memory left."""
        for name in EVENTS:
            with contextlib.suppress(OSError, KeyError), open(f"{self.folders['memory']}/{name}") as file:
                if any(line.split()[0] == "oom_kill" and line.split()[1] != "0" for line in file):
                    return True
        return False

    def remove(self) -> None:
        """Remove the groups; whoever was in them is dead, or will be in a moment."""
        end = time.monotonic() + MERCY
        while not all(_remove(folder) for folder in self.folders.values()) and time.monotonic() < end:
            time.sleep(0.02)


def _mounts(path: str) -> dict[tuple[str, ...], tuple[str, str]]:
    """Controllers (v2: one empty name) -> the group that is mounted, and where."""
    found: dict[tuple[str, ...], Any] = {}
    with open(path) as file:
        for line in file:
            words, _, kind = line.rstrip("\n").partition(" - ")
            kind, _, options = kind.split(" ", 2)
            root, top = words.split()[3:5]
            if kind == "cgroup2":
                found[("",)] = (root.rstrip("/"), top)
            elif kind == "cgroup":
                # One hierarchy may have several controllers; those that we do not use only tell it from others.
                names = [name for name in options.split(",") if name in CONTROLLERS]
                if names:
                    found[tuple(sorted(names))] = (root.rstrip("/"), top)
    return found


def _own(path: str) -> dict[tuple[str, ...], str]:
    """Controllers (v2: one empty name) -> the group that this process is in."""
    found: dict[tuple[str, ...], Any] = {}
    with open(path) as file:
        for line in file:
            _, names, group = line.rstrip("\n").split(":", 2)
            used = tuple(sorted(name for name in names.split(",") if name in CONTROLLERS or not name))
            if used:
                found[used] = group
    return found


def _delegated(folder: str, top: str) -> dict[str, str]:
    """v2: the nearest group around us that was delegated to us and has controllers for the groups below it."""
    while folder.startswith(top):
        ours = _is_delegated(folder) and _writable(folder)
        try:
            with open(f"{folder}/cgroup.subtree_control") as file:
                names = [name for name in file.read().split() if name in CONTROLLERS]
        except OSError:
            names = []
        if ours and names:
            return dict.fromkeys(names, folder)
        folder = os.path.dirname(folder)
    return {}


def _is_delegated(folder: str) -> bool:
    """Whether its owner, as systemd or a container's engine, gave it away: by owner, or by a mark."""
    with contextlib.suppress(OSError):
        if os.geteuid() != 0 and os.stat(folder).st_uid == os.geteuid():
            return True
    for mark in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return True
    return False


def _topmost(names: tuple[str, ...], folder: str, top: str) -> dict[str, str]:
    """v1: our own group, where nobody put us into one of his."""
    return dict.fromkeys(names, folder) if folder == os.path.normpath(top) and _writable(folder) else {}


def _writable(folder: str) -> bool:
    return os.access(folder, os.W_OK | os.X_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)


def _sweep(place: str) -> None:
    """Remove what supervisors left that were killed themselves."""
    with contextlib.suppress(OSError):
        for name in os.listdir(place):
            owner = name.removeprefix(PREFIX)
            if owner != name and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
                _remove(f"{place}/{name}")


def _remove(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:
        return not os.path.exists(folder)
    return True


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
