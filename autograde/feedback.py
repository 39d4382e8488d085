"""The page that a student reads: the score, each exercise with its result and likely cause, never anything hidden."""

from __future__ import annotations

from collections.abc import Mapping

from autograde.gradebook.results import Graded
from autograde.pages import render


def page(graded: Graded, manual: Mapping[str, tuple[float | None, float, str]] | None = None) -> str:
    """The feedback page. `manual` are marks given by hand: grade_id -> (score or None, max, comment)."""
    manual = manual or {}
    tested = {verdict.grade_id for verdict in graded.verdicts}
    marks = {name: score for name, (score, _, _) in manual.items() if name in tested and score is not None}
    written = [(name, *entry) for name, entry in manual.items() if name not in tested]
    total = sum(marks.get(verdict.grade_id, verdict.points) for verdict in graded.verdicts)
    return render(
        "feedback.html",
        graded=graded,
        ours=any(verdict.status == "broken test" for verdict in graded.verdicts),
        notes=[note for note in graded.notes if note.code not in ("timing",)],
        marks=marks,
        comments={name: comment for name, (_, _, comment) in manual.items()},
        written=written,
        waiting=sum(score is None for _, score, _, _ in written),
        total=total + sum(score or 0 for _, score, _, _ in written),
        possible=graded.max_score + sum(most for _, _, most, _ in written),
    )
