"""Makes classes to grade: one homework and any number of right submissions, for our grader or for stock nbgrader."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat

from autograde.build import build
from autograde.lesson import Lesson
from autograde.verify import instructors

REPO = Path(__file__).parent.parent
LIGHT, REAL = "00_light", "03_qkv"
STOCK_CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "stock"\n'


def lesson(where: Path, name: str) -> Lesson:
    """Our light or real lesson, built in the course folder `where`."""
    (where / "source").mkdir(parents=True)
    shutil.copyfile(REPO / "nbgrader_config.py", where / "nbgrader_config.py")
    folder = (REPO / "benchmarks" if name == LIGHT else REPO) / "source"
    shutil.copyfile(folder / f"{name}.py", where / "source" / f"{name}.py")
    if (folder / name).is_dir():
        ignored = shutil.ignore_patterns("*.ipynb")
        shutil.copytree(folder / name, where / "source" / name, ignore=ignored)
    build(where, name)
    return Lesson.load(where, name)


def hand_in(where: Path, known: Lesson, students: int, extra: tuple[str, str] = ("", "")) -> None:
    """Let so many students hand in our solutions, no two files alike.

    Args:
        extra: code cells of theirs above and below everything else.
    """
    shutil.rmtree(where / "submitted", ignore_errors=True)
    for number in range(students):
        notebook = nbformat.reads(instructors(known).decode(), as_version=4)
        above, below = (nbformat.v4.new_code_cell(source) for source in extra)
        notebook.cells = [above, *notebook.cells, below] if any(extra) else notebook.cells
        notebook.cells.append(nbformat.v4.new_markdown_cell(f"Student {number}"))
        folder = where / "submitted" / f"student{number:04}" / known.name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{known.name}.ipynb")


def forget(where: Path) -> None:
    """Remove what an earlier class left, and what was found out about it."""
    for folder in ("autograded", ".autograde/results", ".autograde/submitted"):
        shutil.rmtree(where / folder, ignore_errors=True)
    (where / "gradebook.db").unlink(missing_ok=True)


def stock_course(where: Path, known: Lesson, students: int, extra: tuple[str, str] = ("", "")) -> None:
    """The same class in a course with nothing of ours in its configuration."""
    (where / "source" / known.name).mkdir(parents=True)
    (where / "nbgrader_config.py").write_text(STOCK_CONFIG)
    nbformat.write(known.notebook, where / "source" / known.name / f"{known.name}.ipynb")
    hand_in(where, known, students, extra)


def scores(where: Path, known: Lesson) -> list[float]:
    """What nbgrader's gradebook says of each student."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{where}/gradebook.db") as gradebook:
        return [float(each.score) for each in gradebook.assignment_submissions(known.name)]


def executed(where: Path, known: Lesson) -> list[Any]:
    """The graded notebooks."""
    paths = sorted((where / "autograded").glob(f"*/{known.name}/{known.name}.ipynb"))
    return [nbformat.read(path, as_version=4) for path in paths]
