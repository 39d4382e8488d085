"""What a nightly run does (tasks), what it finds (checks), and what is wrong with them (failures): plain data."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any

from autograde.claims import Claim
from autograde.verify import Tally

#: What a check looks at, in the order of the report. One run of a notebook gives five checks, the others one each.
KINDS = ("cells", "widgets", "time", "memory", "claims", "instructor", "release", "bank", "built", "lint")
#: The row of the report for what belongs to no lesson alone.
COURSE = "course"


@dataclass(frozen=True)
class Task:
    """One thing to run. `name` is what `--only` chooses it by, `expected` a guess at its seconds."""

    lesson: str
    name: str
    seed: int | None = None
    preset: str = ""
    expected: float = 0.0

    @property
    def label(self) -> str:
        seed = "" if self.seed is None else f" seed {self.seed}"
        return f"{self.lesson} {self.name}{seed}"

    @property
    def repeat(self) -> str:
        """The command that runs this task alone."""
        words = ["autograde", "full" if self.preset == "full" else "nightly"]
        words += [] if self.lesson == COURSE else ["--lesson", self.lesson]
        words += ["--only", self.name]
        return shlex.join(words + ([] if self.seed is None else ["--seed", str(self.seed)]))


@dataclass(frozen=True)
class Failure:
    """One thing that does not hold, in a line (`what`), and what one needs to mend it.

    `cell` counts from 1, as `autograde.claims` counts; `repeat` is the command that runs it alone.
    """

    what: str
    repeat: str
    cell: int | None = None
    source: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Check:
    """One statement about the course. `seconds` is what it took, `note` the figures behind it."""

    lesson: str
    name: str
    kind: str
    seed: int | None = None
    seconds: float = 0.0
    note: str = ""
    failures: tuple[Failure, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.failures

    @property
    def title(self) -> str:
        return self.name + ("" if self.seed is None else f", seed {self.seed}")

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Check:
        known = {key: value for key, value in data.items() if key != "ok"}
        return cls(**{**known, "failures": tuple(Failure(**failure) for failure in data["failures"])})


@dataclass(frozen=True)
class Outcome:
    """What became of one task. `seconds` is wall time."""

    task: Task
    checks: tuple[Check, ...]
    claims: tuple[Claim, ...] = ()
    scores: tuple[Tally, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    @classmethod
    def of(cls, task: Task, kind: str, failures: list[Failure], seconds: float = 0.0, note: str = "") -> Outcome:
        """A task that is one check."""
        check = Check(task.lesson, task.name, kind, task.seed, seconds, note, tuple(failures))
        return cls(task, (check,), seconds=seconds)
