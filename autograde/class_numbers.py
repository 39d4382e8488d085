"""What the instructor's report draws: scores, success and mistakes of a class, each with what there is to see."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from autograde.advice import advice
from autograde.gradebook.results import Graded
from autograde.lesson import Cell
from autograde.pages import points
from autograde.verdict import Verdict

#: At most so many bars in the distribution, mistakes, and slow submissions.
BARS, MISTAKES, SLOWEST = 24, 8, 5
#: Statuses that have a cause worth counting; who did not begin made no mistake.
WRONG = ("failed", "timeout", "crashed", "partial")


@dataclass(frozen=True)
class Bar:
    """One bar of the distribution: how many submissions have from `low` to under `low + width` points."""

    label: str
    count: int


@dataclass(frozen=True)
class Success:
    """One exercise: how many have all its points, a part, none, or did not begin."""

    exercise: str
    full: int
    some: int
    none: int
    unopened: int
    seconds: float

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        return (("full", self.full), ("some", self.some), ("none", self.none), ("unopened", self.unopened))


@dataclass(frozen=True)
class Mistake:
    """One mistake and who made it; `named` says that an answer of the bank behaves the same."""

    exercise: str
    words: str
    cause: str
    students: tuple[str, ...]
    named: bool


def distribution(scores: Sequence[float], possible: float) -> list[Bar]:
    """Scores counted by whole points, or by several when there are many points."""
    width = max(1, math.ceil((possible + 1) / BARS))
    count = int(possible // width) + 1
    counts = [0] * count
    for score in scores:
        counts[min(max(int(score // width), 0), count - 1)] += 1
    lows = [width * number for number in range(count)]
    return [Bar(str(low) if width == 1 else f"{low}–{low + width - 1}", n) for low, n in zip(lows, counts, strict=True)]


def success(rows: Sequence[Graded], tests: Sequence[Cell]) -> list[Success]:
    """For each exercise of the lesson, in its order."""
    found = []
    for test in tests:
        verdicts = [verdict for row in rows for verdict in row.verdicts if verdict.grade_id == test.grade_id]
        ran = [verdict.seconds for verdict in verdicts if verdict.seconds]
        kinds = [_kind(verdict) for verdict in verdicts]
        counts = {kind: kinds.count(kind) for kind in ("full", "some", "none", "unopened")}
        found.append(Success(test.exercise or "", **counts, seconds=median(ran) if ran else 0.0))
    return found


def _kind(verdict: Verdict) -> str:
    if verdict.full:
        return "full"
    if verdict.points > 0:
        return "some"
    return "none" if verdict.attempted else "unopened"


def mistakes(rows: Sequence[Graded]) -> list[Mistake]:
    """The most frequent first: the same named mistake, else the same likely cause, else the same words of the check."""
    made: dict[tuple[str, str], list[tuple[str, Verdict]]] = defaultdict(list)
    for row in rows:
        for verdict in row.verdicts:
            if verdict.status in WRONG and not verdict.full:
                said = advice(verdict)
                made[verdict.exercise, verdict.mistake or said.cause or said.what].append((row.student, verdict))
    return sorted(map(_mistake, made.values()), key=lambda mistake: -len(mistake.students))


def _mistake(found: list[tuple[str, Verdict]]) -> Mistake:
    """What several students have in common, in the words of the first."""
    first = found[0][1]
    students, said = tuple(student for student, _ in found), advice(first)
    if first.mistake:
        return Mistake(first.exercise, first.mistake, "", students, named=True)
    return Mistake(first.exercise, said.what, said.cause, students, named=False)


def claim_of_scores(scores: Sequence[float], possible: float) -> str:
    if not scores:
        return "Nobody has handed in"
    full = sum(score >= possible for score in scores)
    return f"Half of the class has {points(median(scores))} of {points(possible)} points or more; {full} have them all"


def claim_of_success(rates: Sequence[Success]) -> str:
    """Which exercise was the hardest, or that none stands out."""
    if not rates:
        return "This lesson has no tests"
    hardest = min(rates, key=lambda rate: rate.full)
    of = sum(count for _, count in hardest.parts)
    if all(rate.full == hardest.full for rate in rates):
        return f"Every exercise: {hardest.full} of {of} have all its points"
    return f"{hardest.exercise} is the hardest: {hardest.full} of {of} have all its points"


def claim_of_mistakes(made: Sequence[Mistake]) -> str:
    if not made:
        return "No mistakes were found"
    if len(made[0].students) == 1:
        return "No mistake was made twice"
    return f"The most frequent mistake, in {made[0].exercise}, was made by {len(made[0].students)} students"


def claim_of_time(rows: Sequence[Graded]) -> str:
    ran = [row for row in rows if row.seconds >= 0.5]
    if not ran:
        return "Nothing took any time"
    slowest = max(ran, key=lambda row: row.seconds)
    half = median(row.seconds for row in ran)
    return f"Half of the submissions took {half:.0f} s or less, the slowest {slowest.seconds:.0f} s"
