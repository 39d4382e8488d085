"""The instructor's report of a graded class: one HTML file, and the same table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.table import Table

from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.pages import found, points, render

COLOURS = {"passed": "green", "partial": "yellow", "not attempted": "dim", "missing": "dim"}


def write_report(root: Path, lesson: Lesson, rows: Sequence[Graded]) -> Path:
    """Write `reports/LESSON.html`; returns its path."""
    path = root / "reports" / f"{lesson.name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(rows, key=lambda row: row.student)
    html = render(
        "report.html",
        lesson=lesson.name,
        rows=ordered,
        exercises=[test.exercise for test in lesson.tests],
        possible=sum(test.points for test in lesson.tests),
        mean=sum(row.score for row in rows) / max(len(rows), 1),
        flagged=sum(needs_a_look(row) for row in rows),
        seconds=sum(row.seconds for row in rows),
        sandboxed=all(row.sandboxed for row in rows),
        when=datetime.now().strftime("%d %B %Y, %H:%M"),
        found=found,
        needs_a_look=needs_a_look,
    )
    path.write_text(html)
    return path


def needs_a_look(row: Graded) -> bool:
    """Whether something about this submission asks for an instructor."""
    flags = [verdict.flag for verdict in row.verdicts] + [note.flag for note in row.notes]
    return row.error is not None or any(flags)


def table(lesson: Lesson, rows: Sequence[Graded]) -> Table:
    """The class as a table: student, score, points per exercise, what was found."""
    shown = Table(title=f"{lesson.name}", title_justify="left", show_lines=False)
    shown.add_column("student", no_wrap=True)
    shown.add_column("score", justify="right", no_wrap=True)
    for test in lesson.tests:
        shown.add_column(test.exercise or "", justify="right", no_wrap=True)
    shown.add_column("what was found", overflow="fold")
    for row in sorted(rows, key=lambda row: row.student):
        cells = [_coloured(points(verdict.points), verdict.status) for verdict in row.verdicts]
        lines = "\n".join(_escaped(line) for line in found(row))
        student = _escaped(row.student) + ("\n[red]to look at[/]" if needs_a_look(row) else "")
        shown.add_row(student, f"{points(row.score)}/{points(row.max_score)}", *cells, lines)
    return shown


def _coloured(text: str, status: str) -> str:
    return f"[{COLOURS.get(status, 'red')}]{text}[/]"


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape("".join(char if char.isprintable() else "?" for char in text))
