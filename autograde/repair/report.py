"""Say what was found in the cells and what was done about it; cells with the same finding share a note."""

from __future__ import annotations

import json
from collections import defaultdict

from autograde.repair.cells import StudentCell
from autograde.repair.choice import Choice, genuine
from autograde.repair.match import How, Matching
from autograde.repair.notes import Note, cells, listed, quoted, sentence
from autograde.repair.released import Place

#: The marks that decide about points; others (checksum, cell type) follow from the text.
FIELDS = ("grade", "solution", "locked", "task", "points", "schema_version")

#: Ways of recognising a cell without its marks, in words.
WAYS: tuple[tuple[tuple[How, ...], str], ...] = (
    (("text", "likeness"), "by the released text"),
    (("name",), "by the names they define"),
    (("place",), "by the cells around them"),
    (("guess",), "by the cells around them, which is a guess"),
)

Pairs = list[tuple[int, Place]]


def about_marks(match: Matching, choice: Choice) -> list[Note]:
    """Notes on grading marks: changed, lost, or of cells that the lesson does not have."""
    pairs = _pairs(match, choice)
    return _changed(match, pairs) + _lost(match, pairs) + _unknown(match, choice)


def _changed(match: Matching, pairs: Pairs) -> list[Note]:
    """Marks that say something else than the released ones; cells with the same change share a note."""
    changes: dict[str, Pairs] = defaultdict(list)
    for index, place in pairs:
        if match.how.get((index, place.key)) == "marks" and (said := _differences(match.cells[index], place)):
            changes[said].append((index, place))
    notes = []
    for said, changed in changes.items():
        exercises = {place.exercise for _, place in changed}
        notes.append(
            Note(
                "marks-changed",
                f"The grading marks of {_named(match, changed)} were changed: {said}. They were restored.",
                exercises.pop() if len(exercises) == 1 else None,
                flag=not all(genuine(match.cells[index]) for index, _ in changed),
            )
        )
    return notes


def _differences(cell: StudentCell, place: Place) -> str:
    """`points 200 instead of 4`, or nothing."""
    wanted = place.cell.metadata.nbgrader
    return listed(
        f"{name} {_shown(cell.marks[name])} instead of {_shown(wanted.get(name, False))}"
        for name in FIELDS
        if name in cell.marks and cell.marks[name] != wanted.get(name, False)
    )


def _shown(value: object) -> str:
    """A mark in one short line; a list or an object is only named, since it may be of any size and depth."""
    if isinstance(value, str):
        return json.dumps(value[:20])
    return json.dumps(value)[:20] if isinstance(value, int | float | None) else "something else"


def _lost(match: Matching, pairs: Pairs) -> list[Note]:
    """Cells that were recognised without their marks."""
    found, guess = [], False
    for ways, by in WAYS:
        lost = [(index, place) for index, place in pairs if match.how.get((index, place.key)) in ways]
        if lost:
            found.append(f"{_named(match, lost)} {by}")
            guess = guess or "guess" in ways
    if not found:
        return []
    said = f"Some cells came without their grading marks. They were recognised: {'; '.join(found)}."
    return [Note("marks-lost", said, flag=guess)]


def _pairs(match: Matching, choice: Choice) -> Pairs:
    """The cells that take a place, in the student's order."""
    return sorted(((index, match.released.marked[key]) for key, index in choice.slot.items()), key=lambda pair: pair[0])


def _named(match: Matching, pairs: Pairs) -> str:
    """`cells 3 and 5 (setup and scores)`."""
    return f"{cells(match.numbers(index for index, _ in pairs))} ({listed(place.key for _, place in pairs)})"


def _unknown(match: Matching, choice: Choice) -> list[Note]:
    """Marks of cells that this version of the lesson does not have; a graded one with a wrong checksum was made up."""
    taken = {*choice.slot.values(), *choice.dropped}
    found = [
        cell
        for index, cell in enumerate(match.cells)
        if index not in taken
        and cell.claim not in match.released.marked
        and isinstance(cell.marks, dict)
        and any(cell.marks.get(name) for name in FIELDS[:4])
    ]
    if not found:
        return []
    made_up = any(cell.marks.get("grade") and not cell.marks.get("solution") and not genuine(cell) for cell in found)
    ids = listed(quoted(cell.claim or "no id", 40) for cell in found)
    said = f"{sentence(cells(cell.number for cell in found))} had grading marks that this lesson does not have ({ids})."
    return [Note("unknown-marks", f"{said} The marks were removed; such cells earn nothing.", flag=made_up)]


def about_cells(match: Matching, choice: Choice) -> list[Note]:
    """Notes on cells whose released text or type was changed."""
    notes = []
    pairs = _pairs(match, choice)
    for index, place in pairs:
        if index in choice.edited and place.role != "answer":
            notes.append(_edited(match, choice, index, place))
    older = [(index, place) for index, place in pairs if index in choice.older and place.role != "answer"]
    if older:
        said = (
            f"{sentence(_named(match, older))} came from another version of the lesson. The current one was put back."
        )
        notes.append(Note("older-version", said))
    retyped = [(index, place) for index, place in pairs if match.cells[index].cell_type != place.cell.cell_type]
    if retyped:
        said = f"{sentence(_named(match, retyped))} had another cell type than released (code, markdown or raw)."
        notes.append(Note("type-changed", f"{said} The released type was restored."))
    return notes


def _edited(match: Matching, choice: Choice, index: int, place: Place) -> Note:
    said = f"The text of cell {match.cells[index].number} ({place.key}) was changed. The released text was put back."
    if index in choice.kept:
        said += " The changed version stays below it as an ordinary cell."
    return Note("test-changed" if place.role == "test" else "setup-changed", said, place.exercise, place.role == "test")


def about_missing(match: Matching, missing: list[Place], lesson: str) -> list[Note]:
    """Notes on released cells that were not handed in."""
    notes = []
    if len(missing) == len(match.released.marked) and missing:
        said = f"No cell of this notebook belongs to {lesson}. It may be the wrong file."
        notes.append(Note("wrong-notebook", said, flag=True))
    for role, what in (("setup", "locked"), ("test", "test")):
        gone = [place.key for place in missing if place.role == role]
        if gone:
            many = len(gone) > 1
            said = f"The {what} cell{'s' if many else ''} {listed(gone)} {'were' if many else 'was'} missing"
            notes.append(Note(f"{role}-missing", f"{said}. The released text was put back."))
    for place in missing:
        if place.role == "answer":
            said = f"The cell of {place.key} is missing: nothing was handed in, so it earns 0 points."
            notes.append(Note("answer-missing", said, place.exercise))
    return notes
