"""A course folder with the tiny lesson, which is graded in a few seconds; and ways to change both."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
from conftest import REPO
from nbgrader.api import Gradebook
from tiny_lesson import NAME, solved, tiny_lesson

from autograde.lesson import Lesson

#: Wrong only where the lists are empty, which is what the hidden tests look at.
WRONG_AT_THE_EDGE = "def scores(x, y):\n    return [a * b for a, b in zip(x, y)] or [1.0]"
#: Right, as long as nobody asks for numbers of a certain kind.
ROUNDED = "def scores(x, y):\n    return [round(a * b, 3) for a, b in zip(x, y)]"
ANSWERS: dict[str, dict[str, str]] = {"ada": {}, "ben": {"scores": ROUNDED}, "eve": {"scores": WRONG_AT_THE_EDGE}}


def make_course(root: Path, answers: Mapping[str, Mapping[str, str]] = ANSWERS) -> Lesson:
    """Make `root` a course with the tiny lesson, in which everybody handed in ours but for their own answers."""
    lesson = tiny_lesson()
    root.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPO / "nbgrader_config.py", root)
    write_lesson(root, lesson)
    for student, cells in answers.items():
        hand_in(root, lesson, student, cells)
    return lesson


def write_lesson(root: Path, lesson: Lesson) -> None:
    for folder, notebook in {"source": lesson.notebook, "release": lesson.release}.items():
        (root / folder / NAME).mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, root / folder / NAME / f"{NAME}.ipynb")


def hand_in(root: Path, lesson: Lesson, student: str, cells: Mapping[str, str]) -> None:
    notebook = solved(lesson)
    for cell in notebook.cells:
        cell.source = cells.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    folder = root / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{NAME}.ipynb")


def change_lesson(root: Path, change: Callable[[Any], None]) -> None:
    """Change the instructor's notebook, as a build of a changed text does."""
    path = root / "source" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def cell(notebook: Any, grade_id: str) -> Any:
    return next(each for each in notebook.cells if each.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def ask_exactness(notebook: Any) -> None:
    """Let the hidden test of `scores` ask for exact products: then ROUNDED is wrong."""
    test = cell(notebook, "test_scores")
    check = 'check.that(observe_scores([0.1234], [1.0]) == [0.1234], "products are exact")\n'
    test.source = test.source.replace("### END HIDDEN TESTS", f"{check}### END HIDDEN TESTS")


def mark_by_hand(root: Path, student: str, grade_id: str, score: float) -> None:
    """What the formgrader does when somebody types a mark."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        grade = gradebook.find_grade(grade_id, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def held(root: Path) -> dict[str, dict[str, tuple[float | None, float | None, bool, float]]]:
    """Student -> grade_id -> auto score, manual score, needs a look, maximum; as the gradebook has it."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        return {
            submission.student.id: {
                grade.name: (grade.auto_score, grade.manual_score, grade.needs_manual_grade, grade.max_score)
                for grade in submission.grades
            }
            for submission in gradebook.notebook_submissions(NAME, NAME)
        }
