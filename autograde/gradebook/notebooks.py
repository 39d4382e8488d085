"""The notebooks of a result: what is kept of each, and what the result says of it."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import nbformat

from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.run.pool import Result
from autograde.run.words import outputs_of


def in_notebook(graded: Graded, notebook: str) -> Graded:
    """What a result says of one notebook of an assignment, by that notebook's own grade ids."""
    start = f"{notebook}/"
    if not any("/" in verdict.grade_id for verdict in graded.verdicts):
        return graded
    mine = [verdict for verdict in graded.verdicts if verdict.grade_id.startswith(start)]
    return replace(graded, verdicts=tuple(replace(each, grade_id=each.grade_id.removeprefix(start)) for each in mine))


def executed_notebooks(result: Result, lesson: Lesson, record: Graded) -> dict[str, Any]:
    """The notebooks to keep, by name: as they ran, or each release with a line on top that says why nothing ran."""
    if result.error is None:
        return result.notebooks or {lesson.name: result.notebook}
    return {part.name: _not_run(part, in_notebook(record, part.name)) for part in lesson.notebooks}


def _not_run(part: Lesson, record: Graded) -> Any:
    notebook = copy.deepcopy(part.release)
    words = nbformat.v4.new_markdown_cell(f"**{record.verdicts[0].message if record.verdicts else record.error}**")
    words.id = "nothing-was-run"
    notebook.cells.insert(0, words)
    by_id = {verdict.grade_id: verdict for verdict in record.verdicts}
    for cell in notebook.cells:
        verdict = by_id.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if verdict is not None:
            cell.outputs = outputs_of(verdict)
    return notebook
