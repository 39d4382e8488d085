"""What repair writes goes through nbgrader's own sanitising without a complaint, checksums included."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from damage import DAMAGES, marks, write
from nbgrader.api import Gradebook
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearSolutions,
    ComputeChecksums,
    DeduplicateIds,
    LockCells,
    OverwriteCells,
    OverwriteKernelspec,
    SaveCells,
)
from nbgrader.utils import compute_checksum
from tiny_lesson import NAME, solved, tiny_lesson

from autograde.gradebook import find_commands
from autograde.repair import repair

LESSON = tiny_lesson()
SOLVED = solved(LESSON)
GRADED = [each for each in DAMAGES.values() if each.ends != "refused" and not each.large]


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A gradebook that knows the lesson as `nbgrader generate_assignment` records it, hidden tests included."""
    find_commands()
    url = f"sqlite:///{tmp_path_factory.mktemp('gradebook') / 'gradebook.db'}"
    with Gradebook(url) as gradebook:
        gradebook.add_assignment(NAME)
    resources = {"nbgrader": {"notebook": NAME, "assignment": NAME, "db_url": url, "student": "ada"}}
    notebook = deepcopy(LESSON.notebook)
    for preprocessor in (ClearSolutions, LockCells, ComputeChecksums, SaveCells):
        notebook, _ = preprocessor().preprocess(notebook, resources)
    return resources


@pytest.mark.parametrize("kind", GRADED, ids=lambda kind: kind.name)
def test_nbgrader_has_nothing_to_repair(kind: Any, resources: Any, caplog: pytest.LogCaptureFixture) -> None:
    repaired = repair(kind(SOLVED), LESSON).notebook
    notebook = deepcopy(repaired)
    for preprocessor in (DeduplicateIds, OverwriteKernelspec, CheckCellMetadata):
        notebook, _ = preprocessor().preprocess(notebook, resources)
    assert notebook == repaired
    assert not caplog.records
    notebook, _ = OverwriteCells().preprocess(notebook, resources)
    assert [cell.id for cell in notebook.cells] == [cell.id for cell in repaired.cells]
    # Only the hidden part of a test differs between the released and the recorded text.
    assert all("checksum" in record.getMessage() and "test_" in record.getMessage() for record in caplog.records)


def test_restored_cells_carry_the_right_checksum() -> None:
    raw = DAMAGES["replaced_tests"](SOLVED)
    restored = [cell for cell in repair(raw, LESSON).notebook.cells if marks(cell).get("locked")]
    assert len(restored) == 4
    assert all(compute_checksum(cell) == marks(cell)["checksum"] for cell in restored)


def test_a_repaired_notebook_can_be_written_and_read(tmp_path: Path) -> None:
    import nbformat

    notebook = repair(write(SOLVED), LESSON).notebook
    nbformat.write(notebook, tmp_path / "out.ipynb")
    assert nbformat.read(tmp_path / "out.ipynb", as_version=4) == notebook
