"""Metadata lost, edited or forged; released text changed."""

from __future__ import annotations

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from damages.registry import code_cell, damage, marks, setup_cells, solution_cells, test_cells


@damage("kept", "marks-lost")
def metadata_emptied(notebook: NotebookNode) -> None:
    """What hosted editors do: no cell metadata, no ids, no kernelspec."""
    notebook.metadata = NotebookNode()
    for cell in notebook.cells:
        cell.metadata = NotebookNode()
        cell.pop("id", None)


@damage("kept", "marks-lost")
def metadata_null(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell["metadata"] = None


@damage("kept", "marks-lost")
def marks_of_wrong_types(notebook: NotebookNode) -> None:
    junk = (None, [], "attention", 3, {"grade_id": 7}, {"grade_id": ["attention"]}, {})
    for number, cell in enumerate(notebook.cells):
        cell.metadata["nbgrader"] = junk[number % len(junk)]


@damage("kept", "marks-changed")
def points_200(notebook: NotebookNode) -> None:
    for at in test_cells(notebook):
        marks(notebook.cells[at])["points"] = 200


@damage("kept", "marks-changed")
def points_of_wrong_types(notebook: NotebookNode) -> None:
    for at, points in zip(test_cells(notebook), ("abc", None, -5, [], {}), strict=False):
        marks(notebook.cells[at])["points"] = points


@damage("kept", "marks-changed")
def unlocked(notebook: NotebookNode) -> None:
    for at in test_cells(notebook) + setup_cells(notebook):
        marks(notebook.cells[at])["locked"] = False


@damage("kept", "marks-changed")
def schema_version_1(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if marks(cell):
            marks(cell)["schema_version"] = 1


@damage("kept", "marks-changed")
def schema_version_of_wrong_type(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if marks(cell):
            marks(cell)["schema_version"] = "three"


@damage("kept", "marks-changed")
def solutions_marked_as_tests(notebook: NotebookNode) -> None:
    for at in solution_cells(notebook):
        marks(notebook.cells[at]).update(grade=True, solution=False, points=50)


@damage("kept", "test-changed")
def replaced_tests(notebook: NotebookNode) -> None:
    for at in test_cells(notebook):
        notebook.cells[at].source = "assert True"


@damage("kept", "setup-changed")
def changed_setup(notebook: NotebookNode) -> None:
    notebook.cells[setup_cells(notebook)[0]].source += "\nMINE = 1\n"


@damage("kept", "unknown-marks")
def forged_extra_cell(notebook: NotebookNode) -> None:
    forged = {"grade": True, "solution": False, "locked": True, "points": 100, "grade_id": "bonus", "schema_version": 3}
    notebook.cells.append(code_cell("100", nbgrader=forged))


@damage("kept", "unknown-marks")
def last_weeks_release(notebook: NotebookNode) -> None:
    """One test has another id than today, and one exercise is no longer in the lesson."""
    test = notebook.cells[test_cells(notebook)[0]]
    test.source = "assert 1 + 1 == 2"
    marks(test)["grade_id"] = "test_of_last_week"
    marks(test)["checksum"] = compute_checksum(test)
    old = {"grade": False, "solution": True, "locked": False, "task": False, "grade_id": "gone", "schema_version": 3}
    notebook.cells.append(code_cell("def gone():\n    return 1", nbgrader=old))


@damage("kept", "other-language")
def another_language(notebook: NotebookNode) -> None:
    notebook.metadata = NotebookNode(kernelspec={"name": "ir", "display_name": "R", "language": "R"})


@damage("kept")
def another_machines_kernel(notebook: NotebookNode) -> None:
    notebook.metadata = NotebookNode(kernelspec={"name": "conda-env-dl-py", "display_name": "Python [conda env:dl]"})
