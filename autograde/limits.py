"""How much a submission may use: time, memory, processes, bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from autograde.errors import CourseError

MIB = 1 << 20
#: Seconds that the student's kernel may take to enter a test.
ENTRY = 10.0


@dataclass(frozen=True)
class Limits:
    """Every limit of a run. Times are wall-clock seconds, sizes are bytes; a lesson may set its own times."""

    cell: float = 30.0  # one cell of the student
    call: float = 10.0  # one call of a probe
    test: float = 30.0  # one test cell, all its calls
    notebook: float = 300.0  # everything
    diagnosis: float = 20.0  # naming the mistakes of one notebook
    start: float = 60.0  # from launch to a kernel that answers
    memory: int = 2048 * MIB  # all processes of the sandbox together
    processes: int = 128  # processes and threads
    files: int = 256  # open files a process
    scratch: int = 256 * MIB  # the sandbox's own folder; the same again for /tmp and for /dev/shm
    entries: int = 50_000  # files and folders in each of these
    output: int = 1 * MIB  # what one cell may print
    message: int = 16 * MIB  # one message of the kernel; a larger one is lost
    judge_memory: int = 2048 * MIB  # the judge, above what it holds at its start
    slack: float = 1.0  # what the times are multiplied by already; students are told them without

    def stretched(self, slack: float) -> Limits:
        """With longer times, where more submissions run than there are cores: each still gets its time of a core."""
        return self._times_by(slack, slack * self.slack)

    @property
    def told(self) -> Limits:
        """As the lesson sets them: what students are told is the same on every machine."""
        return self._times_by(1 / self.slack, 1.0)

    def _times_by(self, factor: float, slack: float) -> Limits:
        times = {field.name: factor * getattr(self, field.name) for field in fields(self) if field.type == "float"}
        return replace(self, **{**times, "slack": slack})

    @classmethod
    def for_lesson(cls, metadata: Mapping[str, Any]) -> Limits:
        """The limits of a lesson: the defaults, with `course.seconds` of its notebook metadata.

        Raises:
            CourseError: a limit that does not exist.
        """
        given = dict(metadata.get("course", {}).get("seconds", {}))
        known = {field.name for field in fields(cls)}
        if unknown := set(given) - known:
            raise CourseError(f"The lesson sets unknown limits {sorted(unknown)}; there are {sorted(known)}.")
        times: dict[str, Any] = {name: float(value) for name, value in given.items()}
        return cls(**times)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
