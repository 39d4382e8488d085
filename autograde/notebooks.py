"""Notebooks with the same bytes everywhere: fixed cell ids, fixed kernel, no outputs, sorted keys."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import nbformat

from autograde import files

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
#: How Jupytext remembers the layout of the text; it differs between its versions and means nothing in a notebook.
LAYOUT = ("lines_to_next_cell", "lines_to_end_of_cell_marker", "cell_marker", "region_name", "cell_depth")


def from_text(notebook: Any) -> Any:
    """The notebook of a lesson as Jupytext read it, in canonical form.

    Empty lines at the end of a cell are cut, because Jupytext's versions disagree on which belong to the cell.
    """
    result = canonical(notebook)
    for cell in result.cells:
        cell.source = cell.source.rstrip()
    return result


def canonical(notebook: Any) -> Any:
    """A copy of the notebook without anything random or of this machine.

    Cells with a grade_id get it as their id. Others are counted from the last such cell (`attention--2` is the second
    after `attention`), so that a new cell changes the ids of its neighbours only.
    """
    result = nbformat.v4.new_notebook(cells=copy.deepcopy(notebook.cells))
    result.nbformat_minor = 5
    result.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    if "course" in notebook.metadata:
        result.metadata["course"] = copy.deepcopy(notebook.metadata["course"])
    taken = {grade_id for cell in result.cells if (grade_id := _grade_id(cell))}
    last, count = "start", 0
    for cell in result.cells:
        if grade_id := _grade_id(cell):
            last, count = grade_id, 0
            cell.id = grade_id
        else:
            count += 1
            while f"{last}--{count}" in taken:
                count += 1
            cell.id = f"{last}--{count}"
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
        for key in LAYOUT:
            cell.metadata.pop(key, None)
    return result


def _grade_id(cell: Any) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id") or None


def encoded(notebook: Any) -> bytes:
    """A notebook as its file holds it: checked strictly, sorted keys, one final newline, UTF-8.

    Raises:
        nbformat.ValidationError: it is no valid notebook of format 4.5.
    """
    nbformat.validate(notebook, version=4, version_minor=5, relax_add_props=False)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode()


def write(notebook: Any, path: Path) -> None:
    """Write a notebook, `encoded`; makes the folder.

    Raises:
        nbformat.ValidationError: it is no valid notebook of format 4.5.
    """
    files.write(path, encoded(notebook))
