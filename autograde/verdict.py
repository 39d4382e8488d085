"""What the judge says about one test cell: the only thing that becomes a score."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Status = Literal[
    "passed",  # every check held
    "partial",  # the test itself declared a part of the points
    "failed",  # a check did not hold, or the student's code raised
    "not attempted",  # the solution is as released, or still raises NotImplementedError
    "missing",  # the solution cell was not handed in
    "timeout",  # the student's code took longer than it may
    "crashed",  # the student's kernel died while it was tested
    "broken test",  # our own test misbehaved: no points are set, an instructor must look
]


@dataclass(frozen=True)
class Verdict:
    """One test cell's result.

    `message` is for the student and never holds a hidden value; `detail` is for the instructor. `text` and `figures`
    (PNG, base64) come from the visible part of the test. With `after_hidden` everything that the student's code made is
    for the instructor only, because that code may have kept the hidden inputs it saw. `mistake` is the hint of the
    wrong answer in the bank that behaves the same; `tested_with` names the exercises in whose place ours stood.
    """

    grade_id: str
    exercise: str
    status: Status
    points: float
    max_points: float
    message: str = ""
    detail: str = ""
    text: str = ""
    figures: tuple[str, ...] = ()
    after_hidden: bool = False
    saw_hidden: bool = False
    seconds: float = 0.0
    calls: int = 0
    flag: bool = False
    mistake: str = ""
    tested_with: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether it has all of its points; a test that is worth none has to pass."""
        return self.points >= self.max_points and self.status in ("passed", "partial")

    @property
    def attempted(self) -> bool:
        return self.status not in ("not attempted", "missing")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        return cls(**{**data, "figures": tuple(data["figures"]), "tested_with": tuple(data.get("tested_with", ()))})

    def lost(self, status: Status, message: str, *, flag: bool = False) -> Verdict:
        """The same test with no points, for the given reason."""
        return replace(self, status=status, points=0.0, message=message, flag=flag or self.flag)


def no_points(
    grade_id: str, exercise: str, max_points: float, status: Status, message: str, detail: str = "", flag: bool = False
) -> Verdict:
    """A verdict of zero that no run of the test stands behind."""
    return Verdict(grade_id, exercise, status, 0.0, max_points, message, detail, flag=flag)
