"""The instructor's report of a graded class: one HTML file, and the same table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from rich.table import Table

from autograde import class_numbers as numbers
from autograde import files
from autograde.gradebook.differences import Comparison
from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.pages import found, points, render

COLOURS = {"passed": "green", "partial": "yellow", "not attempted": "dim", "missing": "dim"}


def write_report(root: Path, lesson: Lesson, rows: Sequence[Graded]) -> Path:
    """Write `reports/LESSON.html`; returns its path."""
    path = root / "reports" / f"{lesson.name}.html"
    ordered = sorted(rows, key=lambda row: row.student)
    scores = [row.score for row in ordered]
    possible = sum(test.points for test in lesson.tests)
    rates, made = numbers.success(ordered, lesson.tests), numbers.mistakes(ordered)
    html = render(
        "report.html",
        lesson=lesson.name,
        rows=ordered,
        links={row.student: links(lesson, row.student) for row in ordered},
        pages_made=all(page.is_file() for row in ordered for page in feedback_pages(root, lesson, row.student)),
        warning=lesson.warning,
        exercises=[test.exercise for test in lesson.tests],
        possible=possible,
        mean=sum(scores) / max(len(scores), 1),
        seconds=sum(row.seconds for row in ordered),
        sandboxed=all(row.sandboxed for row in ordered),
        when=datetime.now().strftime("%d %B %Y, %H:%M"),
        found=found,
        flagged=[row for row in ordered if needs_a_look(row)],
        damaged=[row for row in ordered if row.notes or row.error is not None],
        bars=numbers.distribution(scores, possible),
        claim_of_scores=numbers.claim_of_scores(scores, possible),
        rates=rates,
        claim_of_success=numbers.claim_of_success(rates),
        mistakes=made[: numbers.MISTAKES],
        rarer=max(len(made) - numbers.MISTAKES, 0),
        claim_of_mistakes=numbers.claim_of_mistakes(made),
        slowest=sorted(ordered, key=lambda row: -row.seconds)[: numbers.SLOWEST],
        claim_of_time=numbers.claim_of_time(ordered),
    )
    files.write(path, html)
    return path


def links(lesson: Lesson, student: str) -> list[tuple[str, str]]:
    """Where a student's feedback and graded notebook lie, seen from the report, with what a link to each says."""
    found = []
    for part in lesson.notebooks:
        within = f"{quote(student)}/{quote(lesson.name)}/{quote(part.name)}"
        of = f" {part.name}" if lesson.parts else ""
        found += [(f"feedback{of}", f"../feedback/{within}.html"), (f"notebook{of}", f"../autograded/{within}.ipynb")]
    return found


def feedback_pages(root: Path, lesson: Lesson, student: str) -> list[Path]:
    """Where `nbgrader generate_feedback` writes a student's pages."""
    return [root / "feedback" / student / lesson.name / f"{part.name}.html" for part in lesson.notebooks]


def needs_a_look(row: Graded) -> bool:
    """Whether something about this submission asks for an instructor."""
    flags = [verdict.flag for verdict in row.verdicts] + [note.flag for note in row.notes]
    return row.error is not None or any(flags)


def table(lesson: Lesson, rows: Sequence[Graded]) -> Table:
    """The class as a table: student, score, points per exercise, what was found."""
    legend = " · ".join(f"{number} {test.exercise}" for number, test in enumerate(lesson.tests, 1))
    shown = Table(title=lesson.name, title_justify="left", caption=legend, caption_justify="left")
    shown.add_column("student", no_wrap=True)
    shown.add_column("score", justify="right", no_wrap=True)
    for number, _ in enumerate(lesson.tests, 1):
        shown.add_column(str(number), justify="right", no_wrap=True)
    shown.add_column("what was found", overflow="fold")
    for row in sorted(rows, key=lambda row: row.student):
        cells = [_coloured(points(verdict.points), verdict.status) for verdict in row.verdicts]
        lines = "\n".join(_escaped(line) for line in found(row))
        student = _escaped(row.student) + ("\n[red]to look at[/]" if needs_a_look(row) else "")
        shown.add_row(student, f"{points(row.score)}/{points(row.max_score)}", *cells, lines)
    return shown


def differences_table(lesson: str, rows: Sequence[Comparison]) -> Table:
    """What a regrade changes: student, exercise, score before and after, the mark given by hand, why."""
    shown = Table(title=f"{lesson}: what changes", title_justify="left")
    for name in ("student", "exercise", "score", "by hand"):
        shown.add_column(name, no_wrap=True)
    shown.add_column("why", overflow="fold")
    for each in (difference for row in rows for difference in row.differences):
        colour = "green" if each.change > 0 else "red" if each.change < 0 else "yellow"
        names = (_escaped(each.student), _escaped(each.exercise))
        shown.add_row(*names, f"[{colour}]{each.score()}[/]", each.by_hand(), _escaped(each.why))
    return shown


def _coloured(text: str, status: str) -> str:
    return f"[{COLOURS.get(status, 'red')}]{text}[/]"


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape("".join(char if char.isprintable() else "?" for char in text))
