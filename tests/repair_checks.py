"""What tests of repair share: the tiny lesson, solved, and what must hold for every repaired notebook."""

from __future__ import annotations

import nbformat
from damage import marks, write
from nbformat import NotebookNode
from nbformat.validator import isvalid
from tiny_lesson import solved, tiny_lesson

from autograde.repair import Repaired, repair

LESSON = tiny_lesson()
RELEASE = LESSON.release
SOLVED = solved(LESSON)
FULL = {"test_scores": True, "test_attention": True, "test_Layer": True}


def mend(notebook: object) -> Repaired:
    """Repair a notebook, and check what must hold for every result."""
    result = repair(notebook if isinstance(notebook, bytes) else write(notebook), LESSON)
    sound(result)
    return result


def sound(result: Repaired) -> None:
    """What must hold for every repaired notebook."""
    notebook = result.notebook
    assert isvalid(notebook)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == RELEASE.metadata
    nbformat.writes(notebook).encode()
    held: dict[str, list[int]] = {}
    for at, cell in enumerate(notebook.cells):
        assert not cell.get("outputs")
        if "nbgrader" in cell.metadata:
            held.setdefault(cell.metadata.nbgrader.grade_id, []).append(at)
    wanted = {marks(cell)["grade_id"]: cell for cell in RELEASE.cells if marks(cell)}
    assert {key: len(places) for key, places in held.items()} == dict.fromkeys(wanted, 1)
    at = {key: places[0] for key, places in held.items()}
    for key, cell in wanted.items():
        found = notebook.cells[at[key]]
        assert (found.id, found.cell_type, found.metadata) == (cell.id, cell.cell_type, cell.metadata)
        if not marks(cell)["solution"]:
            assert found == cell
        if key in result.missing:
            assert found.source == cell.source
    assert all(at["setup"] < place for key, place in at.items() if key != "setup")
    assert all(at[name] < at[f"test_{name}"] for name in ("scores", "attention", "Layer"))
    for note in result.notes:
        assert "\n" not in note.message
        assert len(note.message) < 700
        assert note.message[0].isupper() or note.message.startswith(tuple(wanted))
        assert note.message.endswith(".")


def codes(result: Repaired) -> set[str]:
    return {note.code for note in result.notes}


def text_of(result: Repaired, grade_id: str) -> str:
    return next(cell.source for cell in result.notebook.cells if marks(cell).get("grade_id") == grade_id)


def own_cells(result: Repaired) -> list[str]:
    """The student's own cells: unmarked, and not of the release."""
    released = {cell.source for cell in RELEASE.cells}
    return [cell.source for cell in result.notebook.cells if not marks(cell) and cell.source not in released]


def find(notebook: NotebookNode, grade_id: str) -> int:
    return next(at for at, cell in enumerate(notebook.cells) if marks(cell).get("grade_id") == grade_id)
