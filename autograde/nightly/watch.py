"""What a kernel and its processes use while a notebook runs, read from /proc."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from autograde.sandbox.supervisor import PAGE, descendants, stat

INTERVAL = 0.1
MIB = 1 << 20
TICKS = os.sysconf("SC_CLK_TCK")


class Watch:
    """A context manager that looks at a process and its descendants ten times a second; at the descendants alone where
    the process is the `supervisor` of a sandbox.

    Attributes:
        peak: the most memory in bytes that they held together, or that one of them ever held; 0 if nothing was seen.
    """

    def __init__(self, pid: int, *, supervisor: bool = False) -> None:
        self._pid, self._supervisor = pid, supervisor
        self._over = threading.Event()
        self.peak = 0

    def __enter__(self) -> Watch:
        self._look()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def used(self) -> float:
        """Processor seconds of all these processes so far, those that have ended among them."""
        return sum(map(_seconds, self._tree()))

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL):
            self._look()

    def _tree(self) -> dict[int, int]:
        """Resident bytes of each process."""
        seen = {pid: stat(f"/proc/{pid}") for pid in descendants(self._pid)}
        found = {pid: int(fields[21]) * PAGE for pid, fields in seen.items() if fields}
        if self._supervisor:
            found.pop(self._pid, None)
        return found

    def _look(self) -> None:
        tree = self._tree()
        if tree:
            # between two looks a process may grow and shrink: the system remembers the most that each of them had
            self.peak = max(self.peak, sum(tree.values()), *map(_most, tree))


def _most(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


def _seconds(pid: int) -> float:
    """What a process and the children that it has seen end have used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS
    except (OSError, ValueError):
        return 0.0
