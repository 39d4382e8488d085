"""Cells copied, deleted, moved, split, merged or turned into another type."""

from __future__ import annotations

from copy import deepcopy

from nbformat import NotebookNode

from damages.registry import code_cell, damage, setup_cells, solution_cells, test_cells, written_cells


@damage("kept", "duplicate-test")
def copied_test_at_the_end(notebook: NotebookNode) -> None:
    notebook.cells.append(deepcopy(notebook.cells[test_cells(notebook)[-1]]))


@damage("kept", "duplicate-test")
def every_test_twice(notebook: NotebookNode) -> None:
    for at in reversed(test_cells(notebook)):
        notebook.cells.insert(at, deepcopy(notebook.cells[at]))


@damage("kept", "duplicate-setup")
def setup_twice(notebook: NotebookNode) -> None:
    at = setup_cells(notebook)[0]
    notebook.cells.insert(at + 1, deepcopy(notebook.cells[at]))


@damage("kept", "duplicate-answer")
def solution_twice(notebook: NotebookNode) -> None:
    at = solution_cells(notebook)[-1]
    notebook.cells.insert(at + 1, deepcopy(notebook.cells[at]))


@damage("kept", "ambiguous-answer")
def older_solution_below_the_test(notebook: NotebookNode) -> None:
    """An older copy, at the end of the notebook: the student's check used the newer one above it."""
    older = deepcopy(notebook.cells[solution_cells(notebook)[-1]])
    older.source = "# my first try\n" + older.source.replace("return", "return 2 *")
    notebook.cells.append(older)


@damage("lost", "ambiguous-answer")
def wrong_solution_between_solution_and_test(notebook: NotebookNode) -> None:
    """An older copy right below the newer one: it runs last, so it is what the student's check saw."""
    at = solution_cells(notebook)[-1]
    older = deepcopy(notebook.cells[at])
    older.source = older.source.replace("return", "return None and")
    notebook.cells.insert(at + 1, older)


@damage("kept", "duplicate-answer")
def solution_split(notebook: NotebookNode) -> None:
    """Split as JupyterLab does it: both halves carry the marks."""
    at = solution_cells(notebook)[-1]
    half = deepcopy(notebook.cells[at])
    half.source = "import itertools"
    notebook.cells.insert(at, half)


@damage("kept", "test-missing")
def solution_merged_with_its_test(notebook: NotebookNode) -> None:
    """Merged as JupyterLab does it: the marks of the first cell stay."""
    at = solution_cells(notebook)[0]
    test = next(place for place in test_cells(notebook) if place > at)
    notebook.cells[at].source += "\n\n" + notebook.cells.pop(test).source


@damage("kept", "test-missing")
def deleted_test(notebook: NotebookNode) -> None:
    del notebook.cells[test_cells(notebook)[0]]


@damage("kept", "test-missing")
def deleted_tests(notebook: NotebookNode) -> None:
    for at in reversed(test_cells(notebook)):
        del notebook.cells[at]


@damage("kept", "setup-missing")
def deleted_setup(notebook: NotebookNode) -> None:
    del notebook.cells[setup_cells(notebook)[0]]


@damage("lost", "answer-missing")
def deleted_solution(notebook: NotebookNode) -> None:
    del notebook.cells[solution_cells(notebook)[-1]]


@damage("kept", "moved")
def moved_test(notebook: NotebookNode) -> None:
    test = notebook.cells.pop(test_cells(notebook)[-1])
    notebook.cells.insert(solution_cells(notebook)[-1], test)


@damage("kept", "moved")
def moved_setup(notebook: NotebookNode) -> None:
    notebook.cells.append(notebook.cells.pop(setup_cells(notebook)[0]))


@damage("kept", "marks-lost")
def solution_retyped_in_a_new_cell(notebook: NotebookNode) -> None:
    at = solution_cells(notebook)[-1]
    notebook.cells[at] = code_cell(notebook.cells[at].source)


@damage("kept", "marks-lost")
def everything_in_one_cell(notebook: NotebookNode) -> None:
    """Only one cell is left that defines all answers; the written ones stay."""
    source = "\n\n".join(notebook.cells[at].source for at in solution_cells(notebook))
    notebook.cells = [code_cell(source), *(notebook.cells[at] for at in written_cells(notebook))]


# Cell types


@damage("kept", "type-changed")
def markdown_test(notebook: NotebookNode) -> None:
    _retype(notebook.cells[test_cells(notebook)[0]], "markdown")


@damage("kept", "type-changed")
def markdown_solution(notebook: NotebookNode) -> None:
    _retype(notebook.cells[solution_cells(notebook)[0]], "markdown")


@damage("kept", "type-changed")
def raw_solution(notebook: NotebookNode) -> None:
    _retype(notebook.cells[solution_cells(notebook)[-1]], "raw")


@damage("kept", "type-changed")
def raw_setup(notebook: NotebookNode) -> None:
    _retype(notebook.cells[setup_cells(notebook)[0]], "raw")


@damage("kept", "type-changed")
def written_answers_to_code(notebook: NotebookNode) -> None:
    for at in written_cells(notebook) or solution_cells(notebook)[:1]:
        _retype(notebook.cells[at], "code" if written_cells(notebook) else "raw")


def _retype(cell: NotebookNode, kind: str) -> None:
    cell.cell_type = kind
    for name in ("outputs", "execution_count"):
        cell.pop(name, None)
    if kind == "code":
        cell.update(outputs=[], execution_count=None)
