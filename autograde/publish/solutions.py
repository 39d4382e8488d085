"""The notebook with one lesson's solutions: the release with our code and our answers in it, without hidden tests."""

from __future__ import annotations

import copy
from typing import Any

import nbformat
from nbgrader.utils import compute_checksum

from autograde.lesson import BEGIN_SOLUTION, END_SOLUTION, classify
from autograde.notebooks import encoded, from_text


def solved(lesson: str, text: Any, released: Any) -> bytes:
    """The solutions of a lesson as a notebook that runs, without outputs.

    Args:
        lesson: its name.
        text: the notebook of its text, with solutions and hidden tests.
        released: what students got of it; every cell that they do not write comes from here.
    """
    ours = {cell.grade_id: cell for cell in classify(from_text(text)) if cell.kind in ("solution", "written")}
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        mine = ours.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if mine is not None:
            cell.source = _without_markers(mine.source)
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(_heading(lesson), id="solutions"))
    return encoded(notebook)


def _heading(lesson: str) -> str:
    return (
        f"> **Solutions of `{lesson}`.** One right answer to each exercise. Yours may look different and be as right: "
        "what counts is that it passes the tests."
    )


def _without_markers(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION))
