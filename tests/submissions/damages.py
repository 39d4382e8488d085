"""What happened to some notebooks of the bundled class after they were written: a notebook in, the bytes of a file out."""

from __future__ import annotations

import copy

import nbformat


def _written(notebook):
    return nbformat.writes(notebook).encode()


def _marks(cell):
    return cell.metadata.get("nbgrader", {})


def _tests(notebook):
    return [cell for cell in notebook.cells if _marks(cell).get("grade") and not _marks(cell)["solution"]]


def metadata_lost(notebook):
    """What hosted editors do: no metadata of any cell, no cell ids, no kernelspec."""
    notebook.metadata.clear()
    for cell in notebook.cells:
        cell.metadata.clear()
        del cell["id"]
    notebook.nbformat_minor = 4
    return _written(notebook)


def first_test_deleted(notebook):
    notebook.cells.remove(_tests(notebook)[0])
    return _written(notebook)


def last_test_copied(notebook):
    """Copied and pasted at the end, as JupyterLab does it: with its marks, and a new cell id."""
    copied = copy.deepcopy(_tests(notebook)[-1])
    copied.id = "pasted"
    notebook.cells.append(copied)
    return _written(notebook)


def conflict_markers(notebook):
    """A git merge that nobody finished."""
    lines = _written(notebook).split(b"\n")
    middle = len(lines) // 2
    lines[middle:middle] = [b"<<<<<<< HEAD", lines[middle], b"=======", lines[middle], b">>>>>>> main"]
    return b"\n".join(lines)


def tests_replaced(notebook):
    for cell in _tests(notebook):
        cell.source = "assert True"
    return _written(notebook)


DAMAGES = {
    damage.__name__: damage
    for damage in (metadata_lost, first_test_deleted, last_test_copied, conflict_markers, tests_replaced)
}
