"""Runs a command and says what it took: wall time, processor time of all that came of it, memory."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

GROUP = f"course-benchmark-{os.getpid()}"
#: Where the system's control groups may be, and in which file of theirs the processor time is, in units of a second.
PLACES = (
    (Path("/sys/fs/cgroup/unified"), "cpu.stat", 1e-6),
    (Path("/sys/fs/cgroup"), "cpu.stat", 1e-6),
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e-9),
)
TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Took:
    """Wall and processor seconds; the most memory that the command's own process held, in MiB."""

    wall: float
    cpu: float
    memory: float


def run(command: Sequence[str], where: Path) -> Took:
    """Run a command of this environment in the folder `where`.

    Processes of sandboxes have parents that do not wait for them, so the processor time is that of a control group;
    where none can be made, it is that of the whole machine, which should be idle then.

    Raises:
        RuntimeError: it fails; the message is the end of what it said.
    """
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": paths, "OMP_NUM_THREADS": "1"}
    with _clock() as (enter, seconds):
        began, before = time.monotonic(), seconds()
        process = subprocess.Popen(
            command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=enter
        )
        held = _Held(process.pid)
        said, _ = process.communicate()
        took = Took(time.monotonic() - began, seconds() - before, held.most())
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{said[-3000:]}")
    return took


class _Held:
    """The most memory of a process, in MiB. What `wait4` says would be ours at the moment when it was forked."""

    def __init__(self, pid: int) -> None:
        self._status, self._most, self._ended = Path(f"/proc/{pid}/status"), 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        # The operating system keeps the maximum itself; only its last word, before the process ends, is needed.
        while not self._ended.wait(0.05):
            with contextlib.suppress(OSError, StopIteration):
                line = next(line for line in self._status.read_text().splitlines() if line.startswith("VmHWM:"))
                self._most = int(line.split()[1]) / 1024

    def most(self) -> float:
        self._ended.set()
        self._thread.join()
        return self._most


def clock() -> str:
    """Whose processor time `run` measures, in words."""
    return "the command's control group" if _place() else "the whole machine (no control group can be made)"


def _place() -> tuple[Path, str, float] | None:
    for base, file, unit in PLACES:
        group = base / f"{GROUP}-probe"
        with contextlib.suppress(OSError):
            group.mkdir()
            there = (group / file).is_file()
            group.rmdir()
            if there:
                return base / GROUP, file, unit
    return None


@contextlib.contextmanager
def _clock() -> Iterator[tuple[Callable[[], None] | None, Callable[[], float]]]:
    """What a new process must do to be measured, and a function that reads the seconds."""
    place = _place()
    if place is None:
        yield None, _machine
        return
    group, file, unit = place
    group.mkdir()

    def enter() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))

    def seconds() -> float:
        words = (group / file).read_text().split()
        return unit * float(words[1] if words[0] == "usage_usec" else words[0])

    try:
        yield enter, seconds
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    """Remove the group when the last of its processes has ended."""
    for _ in range(100):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.1)
        else:
            return


def _machine() -> float:
    """Processor seconds of the whole machine since it started, but for idling and waiting."""
    numbers = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return TICK * (sum(numbers[:8]) - numbers[3] - numbers[4])
