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
from autograde.oneroom.assignment import qualified


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
        _forget_removed(lesson, gradebook)
    # The parts of an assignment went through the course's own steps when they were loaded.
    steps = [SaveCells] if lesson.parts else [LockCells, ClearSolutions, ClearOutput, ComputeChecksums, SaveCells]
    for part in lesson.notebooks:
        resources = {"nbgrader": {"notebook": part.name, "assignment": lesson.name, "db_url": coursedir.db_url}}
        notebook = copy.deepcopy(part.notebook)
        for step in steps:
            notebook, resources = step(config=config).preprocess(notebook, resources)


def _forget_removed(lesson: Lesson, gradebook: Gradebook) -> None:
    """Take out notebooks that the lesson no longer has, as `nbgrader generate_assignment` does, while nobody has
    handed in."""
    assignment = gradebook.find_assignment(lesson.name)
    if not assignment.submissions:
        for name in {notebook.name for notebook in assignment.notebooks} - {part.name for part in lesson.notebooks}:
            gradebook.remove_notebook(name, lesson.name)


def refusal(lesson: Lesson, coursedir: CourseDirectory) -> str:
    """Why the gradebook cannot take the lesson as it is now, with what to do; empty if it can. Writes nothing.

    nbgrader refuses other cells than those that submissions were graded with.
    """
    if not is_there(coursedir):
        return ""
    there, now = set(), set()
    several = len(lesson.notebooks) > 1
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        for part in lesson.notebooks:
            try:
                known = gradebook.find_notebook(part.name, lesson.name)
            except MissingEntry:
                continue
            if not known.submissions:
                continue
            there |= {
                (kind, qualified(part.name, cell.name, several))
                for kind in ("grade", "solution", "task", "source")
                for cell in getattr(known, f"{kind}_cells")
            }
            now |= {
                (kind, qualified(part.name, cell.metadata.nbgrader["grade_id"], several))
                for cell in part.notebook.cells
                for kind in _kinds(cell)
            }
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
