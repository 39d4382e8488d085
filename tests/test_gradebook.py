"""nbgrader's side: its gradebook holds the judge's points, its commands do our grading, its pages leak nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, POINTS, WRITTEN, Grader
from markupsafe import escape

pytestmark = pytest.mark.sandbox

ODD_NAME = "=1+1, d'Arc <b>"
WRONG = """def attention(q, k, v, mask=None):
    gates = torch.softmax(q @ k.transpose(-2, -1), -1)
    return gates @ v, gates
"""


@pytest.fixture(scope="module")
def graded(course: Path, grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A small class, graded: root and rows by student."""
    from autograde.gradebook.grade import Course

    root = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(course, root)
    hand_in(root, "ada", grader.solved())
    hand_in(root, "boris", grader.lesson.release)
    hand_in(root, "carla", grader.solved({"attention": WRONG}))
    hand_in(root, ODD_NAME, grader.lesson.release)
    linked = root / "submitted" / "linda" / "03_qkv"
    linked.mkdir(parents=True)
    (linked / "03_qkv.ipynb").symlink_to(root / "source" / "03_qkv" / "03_qkv.ipynb")
    (linked / "passwd.txt").symlink_to("/etc/passwd")
    (root / "submitted" / "nobody" / "03_qkv").mkdir(parents=True)
    rows = {row.student: row for row in Course(root).grade("03_qkv")}
    return root, rows


def hand_in(root: Path, student: str, notebook: Any) -> None:
    folder = root / "submitted" / student / "03_qkv"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "03_qkv.ipynb")


def grades(root: Path, student: str) -> dict[str, Any]:
    """grade_id -> (auto score, manual score, needs a manual grade), as the formgrader sees them."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        submission = gradebook.find_submission_notebook("03_qkv", "03_qkv", student)
        return {
            grade.name: (grade.auto_score, grade.manual_score, grade.needs_manual_grade) for grade in submission.grades
        }


def test_the_gradebook_holds_what_the_judge_said(graded: tuple[Path, dict[str, Any]]) -> None:
    root, rows = graded
    assert set(rows) == {"ada", "boris", "carla", ODD_NAME, "linda", "nobody"}
    for student, row in rows.items():
        held = grades(root, student)
        said = {verdict.grade_id: verdict.points for verdict in row.verdicts}
        assert said == {name: held[name][0] for name in held if name != WRITTEN}
        assert WRITTEN in held
    assert {name: row.score for name, row in rows.items()} == {
        "ada": sum(FULL.values()), "boris": 0, "carla": rows["carla"].score, ODD_NAME: 0, "linda": 0, "nobody": 0,
    }  # fmt: skip
    assert rows["carla"].verdicts[0].points == 3
    assert rows["carla"].verdicts[1].points == 0


def test_an_untouched_release_is_not_attempted_everywhere(graded: tuple[Path, dict[str, Any]]) -> None:
    _, rows = graded
    assert {verdict.status for verdict in rows["boris"].verdicts} == {"not attempted"}


def test_links_are_not_followed(graded: tuple[Path, dict[str, Any]]) -> None:
    root, rows = graded
    assert rows["linda"].error
    assert "never followed" in rows["linda"].error
    assert not list((root / "autograded" / "linda").rglob("passwd.txt"))


def test_an_empty_folder_has_a_row_and_a_reason(graded: tuple[Path, dict[str, Any]]) -> None:
    _, rows = graded
    assert "othing" in rows["nobody"].error


def test_the_report_holds_everybody_and_escapes_names(graded: tuple[Path, dict[str, Any]], lesson: Any) -> None:
    from rich.console import Console

    from autograde.report import table, write_report

    root, rows = graded
    html = write_report(root, lesson, list(rows.values())).read_text()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    console = Console(width=300, file=StringIO())
    console.print(table(lesson, list(rows.values())))
    assert all(escape(name) in html for name in rows)
    assert all(name in console.file.getvalue() for name in rows)


def test_feedback_shows_the_cause_and_nothing_hidden(graded: tuple[Path, dict[str, Any]], lesson: Any) -> None:
    root, _ = graded
    nbgrader(root, "generate_feedback", "03_qkv", "--force")
    page = (root / "feedback" / "carla" / "03_qkv" / "03_qkv.html").read_text()
    assert "What to try" in page
    assert "Your notebook, as we ran it" in page
    assert '<span class="n">gates</span> <span class="o">@</span> <span class="n">v</span>' in page
    own = {line.strip() for cell in lesson.cells if cell.kind == "solution" for line in cell.source.splitlines()}
    for test in lesson.tests:
        hidden = test.source.split("### BEGIN HIDDEN TESTS")[1]
        lines = [line.strip() for line in hidden.splitlines() if len(line.strip()) > 25 and line.strip() not in own]
        assert lines
        assert not [line for line in lines if line in unescape(re.sub("<[^>]*>", "", page))]
    assert "check.hidden" not in page


def test_nbgrader_writes_the_same_pages_as_we_do(graded: tuple[Path, dict[str, Any]]) -> None:
    from autograde.feedback import Mark, page
    from autograde.gradebook import results

    root, _ = graded
    nbgrader(root, "generate_feedback", "03_qkv", "--force")
    for student in ("ada", ODD_NAME, "linda"):
        record = results.load(root, "03_qkv", student)
        assert record is not None
        notebook = nbformat.read(root / "autograded" / student / "03_qkv" / "03_qkv.ipynb", as_version=4)
        marks = {verdict.grade_id: Mark(verdict.points, verdict.max_points) for verdict in record.verdicts}
        marks[WRITTEN] = Mark(0, 2)  # untouched, so nobody has to read it
        written = (root / "feedback" / student / "03_qkv" / "03_qkv.html").read_text()
        assert written.rstrip() == page(record, marks, notebook).rstrip()


def test_marks_and_comments_of_the_instructor_reach_the_student(graded: tuple[Path, dict[str, Any]]) -> None:
    from nbgrader.api import Gradebook

    root, _ = graded
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        grade = gradebook.find_grade("test_attention", "03_qkv", "03_qkv", "boris")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        comment = gradebook.find_comment("attention", "03_qkv", "03_qkv", "boris")
        comment.manual_comment = "We talked: <b>well</b> begun."
        gradebook.db.commit()
    nbgrader(root, "generate_feedback", "03_qkv", "--student", "boris", "--force")
    page = (root / "feedback" / "boris" / "03_qkv" / "03_qkv.html").read_text()
    assert f"1.5 <small>of {POINTS:g} points" in page
    assert "No response" not in page
    assert "We talked: &lt;b&gt;well&lt;/b&gt; begun." in page


def nbgrader(root: Path, *words: str) -> str:
    """Run an nbgrader command in the course folder, as an instructor whose environment is not activated."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=root,
        env={**os.environ, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_manual_mark_survives_a_regrade(graded: tuple[Path, dict[str, Any]]) -> None:
    from nbgrader.api import Gradebook

    from autograde.gradebook.grade import Course

    root, _ = graded
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        grade = gradebook.find_grade("test_attention", "03_qkv", "03_qkv", "carla")
        grade.manual_score = 2.5
        grade.needs_manual_grade = False
        gradebook.db.commit()
    list(Course(root).grade("03_qkv", "carla"))
    assert grades(root, "carla")["test_attention"] == (0, 2.5, False)


def test_nbgraders_own_command_does_our_grading(graded: tuple[Path, dict[str, Any]]) -> None:
    root, rows = graded
    said = nbgrader(root, "autograde", "03_qkv", "--student", "ada", "--force")
    assert "Autograding" in said
    assert {name: entry[0] for name, entry in grades(root, "ada").items() if name != WRITTEN} == {
        verdict.grade_id: verdict.points for verdict in rows["ada"].verdicts
    }


def test_a_broken_test_gives_no_score_and_asks_for_a_person(
    graded: tuple[Path, dict[str, Any]], grader: Grader, tmp_path: Path
) -> None:
    from autograde.gradebook.grade import Course

    root, _ = graded
    broken = tmp_path / "course"
    shutil.copytree(
        root, broken, ignore=shutil.ignore_patterns("submitted", "gradebook.db", "autograded", ".autograde")
    )
    path = broken / "source" / "03_qkv" / "03_qkv.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "test_scores":
            cell.source += "\nfloat('nan')"
    nbformat.write(notebook, path)
    hand_in(broken, "ada", grader.solved())
    (row,) = Course(broken).grade("03_qkv")
    assert row.verdicts[0].status == "broken test"
    assert row.score == sum(FULL.values()) - FULL["scores"]
    assert grades(broken, "ada")["test_scores"] == (None, None, True)


def test_stock_nbgrader_validates_a_solved_release_and_not_an_unsolved_one(grader: Grader, tmp_path: Path) -> None:
    from nbgrader.validator import Validator

    for name, notebook in {"solved": grader.solved(), "unsolved": grader.lesson.release}.items():
        for cell in notebook.cells:
            if name == "solved" and cell.metadata.get("nbgrader", {}).get("grade_id") == WRITTEN:
                cell.source = "The query asks."
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    assert Validator().validate(str(tmp_path / "solved.ipynb")).get("failed", []) == []
    assert len(Validator().validate(str(tmp_path / "unsolved.ipynb"))["failed"]) == len(FULL) + 1
