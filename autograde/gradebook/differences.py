"""What a regrade changes: the scores of two results of a submission side by side, and what becomes of marks by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from autograde.gradebook.marks import HandMark, score_of
from autograde.gradebook.results import Graded
from autograde.pages import in_a_line, points
from autograde.verdict import Verdict


@dataclass(frozen=True)
class Difference:
    """One exercise with another score, of another maximum perhaps. A score is None where there was, or is, none.

    `given` is the mark that a person gave, which stays; `look` says that they are asked to look at it again.
    """

    student: str
    exercise: str
    before: float | None
    after: float | None
    most_before: float | None
    most_after: float | None
    why: str
    given: float | None = None
    look: bool = False

    @property
    def change(self) -> float:
        """What the student's score gains by it: nothing where a mark given by hand stands."""
        return 0.0 if self.given is not None else (self.after or 0.0) - (self.before or 0.0)

    def score(self) -> str:
        """As people read it: 4 → 0 of 4."""
        before, after = _words(self.before), _words(self.after)
        if self.most_before == self.most_after or self.most_before is None or self.most_after is None:
            most = self.most_after if self.most_before is None else self.most_before
            return f"{before} → {after} of {_words(most)}"
        return f"{before} of {_words(self.most_before)} → {after} of {_words(self.most_after)}"

    def by_hand(self) -> str:
        if self.given is None:
            return ""
        return f"{points(self.given)} stays{', look again' if self.look else ''}"


@dataclass(frozen=True)
class Comparison:
    """One submission before and after. `words` says that scores stay and what is said about them does not; `looks`
    names marks given by hand that a person is asked to look at again; `anew`, that it was handed in anew."""

    student: str
    differences: tuple[Difference, ...] = ()
    words: bool = False
    marks: int = 0
    looks: tuple[str, ...] = ()
    anew: bool = False

    @property
    def change(self) -> float:
        return sum(difference.change for difference in self.differences)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare(before: Graded, after: Graded, marks: Mapping[str, HandMark] | None = None) -> Comparison:
    """Two results of one submission.

    Args:
        marks: those that people gave, by grade_id.
    """
    marks = marks or {}
    olds, news = ({verdict.grade_id: verdict for verdict in row.verdicts} for row in (before, after))
    anew = bool(before.handed_in) and before.handed_in != after.handed_in
    differences = []
    for grade_id, verdict in (olds | news).items():
        old, new = olds.get(grade_id), news.get(grade_id)
        mark = marks.get(grade_id)
        was, is_now = (score_of(each) if each else None for each in (old, new))
        most, most_now = (each.max_points if each else None for each in (old, new))
        if (was, most) != (is_now, most_now):
            look = mark is not None and new is not None and mark.asks_again(is_now)
            given = mark.given if mark else None
            changed = (was, is_now, most, most_now, _why(old, new, anew), given, look)
            differences.append(Difference(after.student, verdict.exercise, *changed))
    said = [[(each.grade_id, each.status, in_a_line(each)) for each in row.verdicts] for row in (before, after)]
    words = not differences and (said[0] != said[1] or before.notes != after.notes or before.error != after.error)
    looks = [name for name, mark in marks.items() if _look(mark, news.get(name), before, after)]
    return Comparison(after.student, tuple(differences), words, len(marks), tuple(looks), anew)


def _look(mark: HandMark, new: Verdict | None, before: Graded, after: Graded) -> bool:
    """A mark on a written answer asks for a look where the answer may be another."""
    if new is not None:
        return mark.asks_again(score_of(new))
    return mark.waits or not before.handed_in or before.handed_in != after.handed_in


def _why(old: Verdict | None, new: Verdict | None, anew: bool) -> str:
    if new is None:
        return "no longer part of the lesson"
    if new.status != "passed":
        words = in_a_line(new)
    elif old is None:
        words = "new in the lesson"
    else:
        words = "counts differently" if old.status == "passed" else "passes now"
    return f"handed in anew: {words}" if anew else words


def _words(value: float | None) -> str:
    return "–" if value is None else points(value)


def summary(rows: Sequence[Comparison]) -> str:
    """A class in one line."""
    gain, lose, even = (
        sum(1 for row in rows if row.differences and test(row.change))
        for test in (lambda change: change > 0, lambda change: change < 0, lambda change: change == 0)
    )
    same = sum(1 for row in rows if not row.differences)
    words = [f"{same} of {len(rows)} submissions unchanged", f"{gain} {_s('gain', gain)}", f"{lose} {_s('lose', lose)}"]
    words += [f"{even} {_s('change', even)} without gain or loss"] if even else []
    total = round(sum(row.change for row in rows), 2)
    return f"{', '.join(words)}, sum {f'{total:+g}' if total else '0'}."


def _s(verb: str, count: int) -> str:
    return f"{verb}s" if count == 1 else verb


def remarks(rows: Sequence[Comparison]) -> list[str]:
    """What else there is to know before this is written, a line each."""
    lines = []
    if words := sum(1 for row in rows if row.words):
        lines.append(f"{words} of the unchanged {_s('get', words)} other words for the same score.")
    marks = sum(row.marks for row in rows)
    looks = [f"{row.student} ({', '.join(row.looks)})" for row in rows if row.looks]
    if marks:
        asked = f"to look at again: {', '.join(looks)}" if looks else "none must be looked at again"
        lines.append(f"Marks given by hand: {marks}, all of them stay; {asked}.")
    return lines
