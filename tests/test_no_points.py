"""A test that is worth nothing is still a test: it is run and said, and it moves no score."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_course import cell, held, make_course
from tiny_lesson import NAME
from typer.testing import CliRunner

from autograde.cli import app
from autograde.feedback import page
from autograde.gradebook import results

#: What attention makes of these is right still.
NEGATIVE = "def scores(x, y):\n    return [-a * b for a, b in zip(x, y)]"

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose first test is worth 0 points; ada passes it, eve fails it."""
    import nbformat

    root = tmp_path_factory.mktemp("course")
    make_course(root, {"ada": {}, "eve": {"scores": NEGATIVE}})
    for path in [*root.glob(f"*/{NAME}/{NAME}.ipynb"), *root.glob(f"submitted/*/{NAME}/{NAME}.ipynb")]:
        notebook = nbformat.read(path, as_version=4)
        cell(notebook, "test_scores").metadata["nbgrader"]["points"] = 0
        nbformat.write(notebook, path)
    done = CliRunner().invoke(app, ["grade", NAME, "--root", str(root), "--workers", "1"], catch_exceptions=False)
    assert done.exit_code == 0, done.stdout
    return root


def test_it_is_run_and_moves_no_score(graded: Path) -> None:
    book, records = held(graded), results.load_all(graded, NAME)
    for student, status in {"ada": "passed", "eve": "failed"}.items():
        score, by_hand, waits, most = book[student]["test_scores"]
        assert (score, by_hand, waits, most) == (0, None, False, 0)
        (verdict,) = (one for one in records[student].verdicts if one.grade_id == "test_scores")
        assert verdict.status == status
    assert {student: record.score for student, record in records.items()} == {"ada": 13, "eve": 13}


def test_the_pages_are_made(graded: Path) -> None:
    assert "eve" in (graded / "reports" / f"{NAME}.html").read_text()
    record = results.load(graded, NAME, "eve")
    assert record is not None
    shown = page(record, {}, results.staged_notebook(graded, NAME, "eve", NAME))
    assert "0 / 0" in shown
    assert "all of them positive in scores" in shown
