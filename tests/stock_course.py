"""The course of `nbgrader quickstart` with one notebook more, submissions to it, and what a gradebook says of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import nbgrader
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograde.gradebook.grade import Course
from autograde.lesson import Lesson

NAME = "ps1"
CONFIG = """c = get_config()
c.CourseDirectory.course_id = "course101"
c.IncludeHeaderFooter.header = "source/header.ipynb"
c.Execute.timeout = 5
"""

SQUARES = """def squares(n):
    if n < 1:
        raise ValueError("n")
    return [i ** 2 for i in range(1, n + 1)]"""
#: Answers that earn everything, by grade id.
RIGHT = {
    "squares": SQUARES,
    "sum_of_squares": "def sum_of_squares(n):\n    return sum(squares(n))",
    "sum_of_squares_equation": "$n$",
    "sum_of_squares_application": "print(sum_of_squares(3))",
    "part-a": "Numbers of Fibonacci.",
    "part-b": "Below zero.",
    "double": "def double(x):\n    return 2 * x",
    "value": "VALUE = 1.5",
    "read": "def read():\n    return open('numbers.txt').read().split()",
}

_STUB = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
#: A third notebook: hidden tests, a part of the points, a value of the student's as last value, files, a used grade id.
_CELLS = (
    ("import helper\nimport numpy as np", "given", {"locked": True}),
    ("def double(x):\n    " + _STUB.format("return 2 * x").replace("\n", "\n    "), "double", {"solution": True}),
    (
        "assert double(1) == 2\n### BEGIN HIDDEN TESTS\nassert double(5) == 10\n### END HIDDEN TESTS",
        "test_double",
        {"grade": True, "points": 2},
    ),
    ("helper.share([double(x) == 2 * x for x in (1, 2, 5, 7)], 4)", "test_part", {"grade": True, "points": 4}),
    (_STUB.format("VALUE = 1.5"), "value", {"solution": True}),
    ("VALUE", "test_value", {"grade": True, "points": 2}),
    ("def read():\n    " + _STUB.format("return []").replace("\n", "\n    "), "read", {"solution": True}),
    ("assert read() == ['1', '2', '3']", "test_read", {"grade": True, "points": 1}),
    ("assert helper.ours", "correct_squares", {"grade": True, "points": 1}),
)
HELPER = "ours = True\n\n\ndef share(right, points):\n    return points * sum(right) / len(right)\n"


def third() -> Any:
    cells = [new_markdown_cell("## More")]
    for source, grade_id, more in _CELLS:
        marks = {"grade": False, "solution": False, "locked": False, "schema_version": 3, "grade_id": grade_id, **more}
        cells.append(new_code_cell(source, metadata={"nbgrader": marks}))
    return new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}}
    )


def make(root: Path, *, quickstart: bool = False) -> Path:
    """The course, as `nbgrader quickstart` makes it or (which takes no half a minute) as it would."""
    if quickstart:
        run_nbgrader(root.parent, "quickstart", root.name)
        with (root / "nbgrader_config.py").open("a") as config:
            config.write("\nc.Execute.timeout = 5\n")
    else:
        guide = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide" / "source"
        shutil.copytree(guide, root / "source", ignore=shutil.ignore_patterns("*.html", "ps1_autotest"))
        (root / "nbgrader_config.py").write_text(CONFIG)
    folder = root / "source" / NAME
    nbformat.write(third(), folder / "problem3.ipynb")
    (folder / "helper.py").write_text(HELPER)
    (folder / "numbers.txt").write_text("1 2 3")
    return root


def assignment(root: Path) -> Lesson:
    return Course(root).lesson(NAME)


def hand_in(
    root: Path,
    lesson: Lesson,
    student: str,
    answers: Mapping[str, str],
    *,
    without: Iterable[str] = (),
    files: Mapping[str, str] | None = None,
    changed: Any = None,
) -> None:
    """Write what a student hands in; `changed` is called with each notebook's name and cells."""
    folder = root / "submitted" / student / NAME
    folder.mkdir(parents=True)
    for part in lesson.parts:
        notebook = deepcopy(part.release)
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            cell.source = answers.get(grade_id, cell.source)
        if changed is not None:
            changed(part.name, notebook.cells)
        if part.name not in without:
            nbformat.write(notebook, folder / f"{part.name}.ipynb")
    for name, text in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def run_nbgrader(root: Path, *words: str) -> str:
    """Run a command of nbgrader, with nothing of ours in it; returns what it said, also where it failed."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(root)}
    command = [sys.executable, "-P", "-m", "nbgrader", *words]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False).stderr


def grades(root: Path, student: str) -> dict[str, tuple[Any, ...]]:
    """What the gradebook holds of a student by notebook and cell: points, whether a person is asked, most points."""
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        try:
            submission = gradebook.find_submission(NAME, student)
        except MissingEntry:
            return {}
        return {
            f"{notebook.name}/{grade.name}": (grade.auto_score, grade.needs_manual_grade, grade.max_score)
            for notebook in submission.notebooks
            for grade in notebook.grades
        }
