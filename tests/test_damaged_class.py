"""A class of which each student hands in one kind of damage: all end graded or explained, the batch never stops."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from damage import DAMAGES, FOLDERS, Damage, Folder
from nbgrader.api import Gradebook

from autograde.gradebook.grade import Course
from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.pages import found
from autograde.report import needs_a_look
from autograde.verify import instructors

pytestmark = [pytest.mark.sandbox, pytest.mark.nightly]

NAME = "03_qkv"


@pytest.fixture(scope="module")
def handed_in(course: Path, lesson: Lesson, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder whose students are named after their damage; the work itself is our own solution."""
    root = tmp_path_factory.mktemp("damaged") / "course"
    shutil.copytree(course, root)
    whole = instructors(lesson)
    notebook = nbformat.reads(whole, as_version=4)
    for kind in DAMAGES.values():
        folder = _folder(root, kind.name)
        (folder / f"{NAME}.ipynb").write_bytes(kind(notebook))
    for kind in FOLDERS.values():
        kind.fill(_folder(root, kind.name), NAME, whole)
    return root


def _folder(root: Path, student: str) -> Path:
    folder = root / "submitted" / student / NAME
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def rows(handed_in: Path) -> dict[str, Graded]:
    return {row.student: row for row in Course(handed_in).grade(NAME)}


def test_nobody_is_missing(rows: dict[str, Graded], handed_in: Path) -> None:
    everybody = {*DAMAGES, *FOLDERS}
    assert set(rows) == everybody
    with Gradebook(f"sqlite:///{handed_in / 'gradebook.db'}") as gradebook:
        stored = {each.student.id: each.score for each in gradebook.assignment_submissions(NAME)}
    assert stored == {student: row.score for student, row in rows.items()}


@pytest.mark.parametrize("kind", DAMAGES.values(), ids=lambda kind: kind.name)
def test_a_damaged_notebook_is_graded_or_explained(kind: Damage, rows: dict[str, Graded]) -> None:
    row = rows[kind.name]
    lost = [verdict.exercise for verdict in row.verdicts if verdict.points < verdict.max_points]
    if kind.ends == "kept":
        assert (row.score, lost) == (row.max_score, []), found(row)
    elif kind.ends == "lost":
        assert len(lost) == 1, found(row)
        assert any(line.startswith(f"{lost[0]}: ") for line in found(row))
    else:
        _refused(row)


@pytest.mark.parametrize("kind", FOLDERS.values(), ids=lambda kind: kind.name)
def test_an_odd_folder_is_graded_or_explained(kind: Folder, rows: dict[str, Graded]) -> None:
    row = rows[kind.name]
    if kind.found:
        assert row.score == row.max_score, found(row)
    else:
        _refused(row)


def _refused(row: Graded) -> None:
    """No points, one line that says why, and an instructor is told to look."""
    assert row.score == 0
    assert len(found(row)) == 1
    assert found(row)[0].isprintable()
    assert needs_a_look(row)
