"""Writes a lesson (its cells and points) into nbgrader's gradebook, so that grades have something to belong to."""

from __future__ import annotations

import copy
from typing import Any

from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearOutput, ClearSolutions, ComputeChecksums, LockCells, SaveCells
from traitlets.config import Config

from autograde.errors import CourseError
from autograde.gradebook.database import is_there
from autograde.lesson import Lesson


def record(lesson: Lesson, coursedir: CourseDirectory, config: Config) -> None:
    """Create or update the lesson in the gradebook of `coursedir`. Grades and submissions stay as they are.

    Raises:
        CourseError: cells were added or removed although submissions are graded already, which nbgrader cannot do.
    """
    if words := refusal(lesson, coursedir):
        raise CourseError(words)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            gradebook.find_assignment(lesson.name)
        except MissingEntry:
            gradebook.add_assignment(lesson.name)
    resources = {"nbgrader": {"notebook": lesson.name, "assignment": lesson.name, "db_url": coursedir.db_url}}
    notebook = copy.deepcopy(lesson.notebook)
    for step in (LockCells, ClearSolutions, ClearOutput, ComputeChecksums, SaveCells):
        notebook, resources = step(config=config).preprocess(notebook, resources)


def refusal(lesson: Lesson, coursedir: CourseDirectory) -> str:
    """Why the gradebook cannot take the lesson as it is now, with what to do; empty if it can. Writes nothing.

    nbgrader refuses other cells than those that submissions were graded with.
    """
    if not is_there(coursedir):
        return ""
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            known = gradebook.find_notebook(lesson.name, lesson.name)
        except MissingEntry:
            return ""
        if not known.submissions:
            return ""
        there = {
            (kind, cell.name)
            for kind in ("grade", "solution", "task", "source")
            for cell in getattr(known, f"{kind}_cells")
        }
    now = {(kind, cell.metadata.nbgrader["grade_id"]) for cell in lesson.notebook.cells for kind in _kinds(cell)}
    changes = [f"added {', '.join(_names(now - there))}"] if now - there else []
    changes += [f"removed {', '.join(_names(there - now))}"] if there - now else []
    if not changes:
        return ""
    return (
        f"{lesson.name}: graded cells were added or removed after submissions were graded, and nbgrader refuses "
        f"that ({'; '.join(changes)}). Put the cells back, or start a new gradebook: move gradebook.db away and grade "
        "again. Marks given by hand stay in the old one."
    )


def _kinds(cell: Any) -> list[str]:
    """As what nbgrader's `SaveCells` records a cell."""
    kinds = {"grade": utils.is_grade(cell), "solution": utils.is_solution(cell), "task": utils.is_task(cell)}
    found = [kind for kind, holds in kinds.items() if holds]
    return [*found, "source"] if found or utils.is_locked(cell) else []


def _names(cells: set[tuple[str, str]]) -> list[str]:
    return sorted({name for _, name in cells})
