"""The outcome of choosing among submitted cells: who takes each released place, and what becomes of the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from nbformat.notebooknode import from_dict
from nbgrader.utils import compute_checksum

from autograde.repair.cells import StudentCell
from autograde.repair.notes import Note


@dataclass
class Choice:
    """Cells are named by their index. One cell may take the place of a test and, by its own text, of an answer."""

    #: grade id -> the cell that takes this place.
    slot: dict[str, int] = field(default_factory=dict)
    #: grade id -> a cell of another exercise, of which only this answer's definition is taken.
    shared: dict[str, int] = field(default_factory=dict)
    #: Restored cells whose own text stays beside them, and cells whose own text is left out.
    kept: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    #: Restored cells whose text had been edited, and those that come unchanged from another version of the lesson.
    edited: set[int] = field(default_factory=set)
    older: set[int] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)


def genuine(cell: StudentCell) -> bool:
    """Whether a cell still fits its own checksum, as one from another release of the lesson does."""
    if not isinstance(cell.marks, dict) or not isinstance(cell.marks.get("checksum"), str):
        return False
    try:
        node = from_dict({"cell_type": cell.cell_type, "source": cell.source, "metadata": {"nbgrader": cell.marks}})
        return bool(compute_checksum(node) == cell.marks["checksum"])
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        # The marks are the student's: any type, any depth.
        return False
