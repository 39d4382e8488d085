"""What a kernel and its processes use while a notebook runs, read from /proc."""

from __future__ import annotations

import threading
from pathlib import Path

from autograde.sandbox.supervisor import descendants

INTERVAL = 0.1
MIB = 1 << 20


class Watch:
    """A context manager that looks at a process and its descendants ten times a second.

    Attributes:
        peak: the most memory in bytes that they held together, or that one of them ever held; 0 if nothing was seen.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._kernel = pid
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

    def waited(self) -> float:
        """Seconds that the kernel was ready to run while other processes had the cores; 0 if the system does not say.

        What a busy machine adds to a run is no property of the notebook.
        """
        try:
            return int(Path(f"/proc/{self._kernel}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL):
            self._look()

    def _look(self) -> None:
        tree = {pid: resident for pid, (_, resident) in descendants(self._pid).items()}
        if tree:
            self._kernel = max(tree, key=lambda pid: tree[pid])
            # between two looks a process may grow and shrink: the system remembers the most that each of them had
            self.peak = max(self.peak, sum(tree.values()), *map(_most, tree))


def _most(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0
