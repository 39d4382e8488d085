"""`nbgrader export`: a table that any spreadsheet reads, and that no name can turn into something else."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook

from autograde.gradebook.export import FORMULA, inert

ROOT = Path(__file__).parent.parent
NAMES = ["=1+1", '=HYPERLINK("http://x","y")', "Müller, Jörg", 'says "hi"', "@SUM(A1)", "-2+3", "two\nlines", "{email}"]


@pytest.fixture
def book(tmp_path: Path) -> str:
    """A gradebook in which every name is a trap; the first student handed something in, late."""
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with Gradebook(url) as gradebook:
        gradebook.add_assignment("ps,1")
        gradebook.add_notebook("p", "ps,1")
        gradebook.add_grade_cell("test", "p", "ps,1", max_score=5, cell_type="code")
        for number, name in enumerate(NAMES):
            gradebook.add_student(f"{number}", last_name=name, first_name=name)
            gradebook.add_student(name)
        submission = gradebook.add_submission("ps,1", "0", timestamp="2026-01-01 10:00:00 UTC")
        [grade] = submission.notebooks[0].grades
        grade.auto_score = 4
        submission.notebooks[0].late_submission_penalty = 1.5
        gradebook.db.commit()
    return url


def exported(url: str, folder: Path, *options: str) -> list[dict[str, Any]]:
    """What `nbgrader export` of this course writes, as Python's reader and every spreadsheet's reads it."""
    (folder / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    command = [sys.executable, "-m", "nbgrader", "export", "--db", url, "--to", "grades.csv", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with (folder / "grades.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_name_stays_in_its_column_and_computes_nothing(book: str, tmp_path: Path) -> None:
    rows = exported(book, tmp_path)
    assert len(rows) == 2 * len(NAMES)
    assert all(None not in row and None not in row.values() for row in rows)  # no row has more or fewer columns
    seen = {row["student_id"]: row for row in rows}
    for number, name in enumerate(NAMES):
        assert seen[f"{number}"]["last_name"].removeprefix("'") == name
        assert inert(name) in seen
    assert not [value for row in rows for value in row.values() if value.startswith(FORMULA)]
    assert {row["assignment"] for row in rows} == {"ps,1"}


def test_scores_are_those_of_the_gradebook(book: str, tmp_path: Path) -> None:
    first, second = (row for row in exported(book, tmp_path, "--student", '["0", "1"]'))
    numbers = ("raw_score", "late_submission_penalty", "score", "max_score")
    assert [float(first[name]) for name in numbers] == [4, 1.5, 2.5, 5]
    assert first["timestamp"] == "2026-01-01 10:00:00"
    assert [second["timestamp"], *(float(second[name]) for name in numbers)] == ["", 0, 0, 0, 5]


@given(st.text())
def test_no_text_begins_a_formula_and_none_is_lost(text: str) -> None:
    assert not inert(text).startswith(FORMULA)
    assert inert(text).removeprefix("'") == text.removeprefix("'")


@given(st.floats(allow_nan=False))
def test_a_number_stays_a_number(number: float) -> None:
    assert float(inert(number)) == number
