"""Repair a notebook: released tests and setup cells as released, the student's answers as they are, nothing lost."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

from nbformat import NotebookNode

from autograde.lesson import Lesson
from autograde.repair.answers import settle_answers
from autograde.repair.build import build, identify
from autograde.repair.cells import StudentCell, read
from autograde.repair.choice import Choice
from autograde.repair.match import Matching, by_likeness, by_marks, by_name, by_place, by_text
from autograde.repair.notes import Note
from autograde.repair.order import insert_missing, put_in_order, redefined
from autograde.repair.released import Released
from autograde.repair.report import about_cells, about_marks, about_missing
from autograde.repair.restored import settle_restored


@dataclass(frozen=True)
class Repaired:
    """A notebook that can be graded, what was found and done, and the grade ids of answers not handed in."""

    notebook: NotebookNode
    notes: tuple[Note, ...]
    missing: frozenset[str]


def repair(raw: bytes, lesson: Lesson) -> Repaired:
    """Make the notebook that is graded from the bytes that were handed in. Pure: the same in gives the same out.

    The result is valid nbformat 4.5 without outputs. It holds every marked cell of the release exactly once: tests and
    locked cells with the released text, answers with the student's text or, when not handed in, as released; all with
    the released marks. The student's other cells stay in their order, without marks.

    Raises:
        UnreadableSubmission: the bytes are no notebook; one line says what is wrong and what the student should do.
    """
    cells, notes = read(raw)
    released = Released.of(lesson)
    match, choice = recognise(cells, released)
    items = build(match, choice)
    missing = insert_missing(items, released)
    moved = put_in_order(items, released)
    identify(items, {place.cell.id for place in released.places})
    notebook = NotebookNode(
        cells=[item.node for item in items],
        metadata=deepcopy(lesson.release.metadata),
        nbformat=4,
        nbformat_minor=5,
    )
    notes += about_marks(match, choice) + about_cells(match, choice) + choice.notes
    notes += about_missing(match, missing, lesson.name) + moved + redefined(items, match)
    return Repaired(notebook, tuple(notes), frozenset(place.key for place in missing if place.role == "answer"))


def recognise(cells: list[StudentCell], released: Released) -> tuple[Matching, Choice]:
    """Find which released cell each submitted cell is, and settle where there are several."""
    match, choice = Matching(cells, released), Choice()
    by_marks(match)
    by_text(match)
    by_likeness(match, released.having("setup", "test"))
    settle_restored(match, choice)
    by_name(match)
    by_likeness(match, released.having("answer"))
    by_place(match)
    settle_answers(match, choice)
    return match, choice
