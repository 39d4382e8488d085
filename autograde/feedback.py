"""The page that a student reads: the score, each exercise with its result and likely cause, never anything hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from autograde.advice import Advice, advice, meaning
from autograde.gradebook.results import Graded
from autograde.notebook_html import ShownCell, shown_cells
from autograde.pages import render
from autograde.verdict import Verdict

Tone = Literal["pass", "part", "fail", "open"]
TONES: dict[str, Tone] = {
    "passed": "pass",
    "partial": "part",
    "not attempted": "open",
    "missing": "open",
    "broken test": "part",
}
#: Said again without colour.
SIGNS: dict[Tone, str] = {"pass": "✓", "part": "◐", "fail": "✗", "open": "○"}


@dataclass(frozen=True)
class Mark:
    """What the gradebook holds for one cell. `score` is None while it waits to be read; `by_hand`: a person gave it."""

    score: float | None
    most: float
    comment: str = ""
    by_hand: bool = False


@dataclass(frozen=True)
class Card:
    """One exercise on the page. `mark` is what a person said about it; `code` is the student's own cell."""

    verdict: Verdict
    advice: Advice
    tone: Tone
    points: float
    mark: Mark | None
    code: ShownCell | None

    @property
    def by_hand(self) -> bool:
        return self.mark is not None and self.mark.by_hand and self.mark.score is not None

    @property
    def waits(self) -> bool:
        """Whether our test is broken and nobody has set points yet."""
        return self.verdict.status == "broken test" and not self.by_hand

    @property
    def says_more(self) -> bool:
        """Whether there is more to read than "all checks hold"."""
        said = self.mark is not None and self.mark.comment
        return self.verdict.status != "passed" or bool(said or self.by_hand or self.verdict.tested_with)

    @property
    def sign(self) -> str:
        return SIGNS[self.tone]


def page(graded: Graded, marks: Mapping[str, Mark] | None = None, notebook: Any = None) -> str:
    """The feedback page.

    Args:
        graded: the kept result.
        marks: what the gradebook holds, by grade_id; written answers have nothing else.
        notebook: the graded notebook, to be shown below; test cells and what came after hidden tests stay out.
    """
    marks = marks or {}
    tests = {verdict.grade_id: verdict.exercise for verdict in graded.verdicts}
    nothing_ran = graded.error is not None
    cells, more = shown_cells(notebook, tests) if notebook is not None and not nothing_ran else ([], 0)
    code = {cell.name: cell for cell in cells if cell.kind == "code"}
    cards = [_card(verdict, marks.get(verdict.grade_id), code.get(verdict.exercise)) for verdict in graded.verdicts]
    written = {name: mark for name, mark in marks.items() if name not in tests}
    broken = any(verdict.status == "broken test" for verdict in graded.verdicts)
    return render(
        "feedback.html",
        graded=graded,
        error=None if broken else graded.error,
        broken=broken,
        cards=cards,
        done=all(card.tone == "pass" for card in cards) and not written,
        written=written,
        notes=[(note.message, meaning(note)) for note in graded.notes],
        total=sum(card.points for card in cards) + sum(mark.score or 0 for mark in written.values()),
        possible=graded.max_score + sum(mark.most for mark in written.values()),
        waiting=sum(card.verdict.max_points for card in cards if card.waits)
        + sum(mark.most for mark in written.values() if mark.score is None),
        cells=cells,
        more=more,
        anchors={cell.name for cell in cells if cell.name},
    )


def _card(verdict: Verdict, mark: Mark | None, code: ShownCell | None) -> Card:
    by_hand = mark is not None and mark.by_hand and mark.score is not None
    points = mark.score if by_hand and mark is not None and mark.score is not None else verdict.points
    return Card(verdict, advice(verdict), _tone(verdict, points, by_hand), points, mark, code)


def _tone(verdict: Verdict, points: float, by_hand: bool) -> Tone:
    if not by_hand:
        return TONES.get(verdict.status, "fail")
    return "pass" if points >= verdict.max_points else "part" if points else "fail"
