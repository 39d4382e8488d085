"""How many submissions this machine has room for side by side."""

from __future__ import annotations

import os
from pathlib import Path

from autograde.limits import Limits


def side_by_side() -> int:
    """Two submissions for every core, because each waits half of its time for its own processes; and no more than one
    for every 2 GiB (what one may use) of free memory."""
    return max(1, min(2 * cores(), free_memory() // Limits().memory))


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def free_memory(proc: Path = Path("/proc"), group: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that programs can still have: of this machine, and of the container (control group v2) we may be in."""
    lines = (proc / "meminfo").read_text().splitlines()
    free = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    try:
        limit, used = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        held = (group / "memory.stat").read_text().splitlines()
        cached = next(int(line.split()[1]) for line in held if line.startswith("inactive_file "))
    except (OSError, StopIteration):  # no container, or an old one
        return free
    return free if limit == "max" else max(0, min(free, int(limit) - int(used) + cached))
