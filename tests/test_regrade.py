"""A changed lesson: what a regrade would change is shown first, and written only then; marks given by hand stay."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_resume import ran as ran  # whose submissions are run, in this process
from tiny_course import ask_exactness, cell, change_lesson, hand_in, held, make_course, mark_by_hand
from tiny_lesson import NAME, tiny_lesson
from typer.testing import CliRunner, Result

from autograde.cli import app
from autograde.errors import CourseError
from autograde.gradebook.differences import Comparison, Difference, compare, remarks, summary
from autograde.gradebook.marks import HandMark
from autograde.gradebook.results import Graded
from autograde.run.pool import Job, Pool
from autograde.verdict import Verdict

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three students, graded: ada is right, ben is right until somebody asks for exact products, eve is wrong.

    All tests have one job server and one place for the course, so that nothing heavy starts twice.
    """
    root = tmp_path_factory.mktemp("graded") / "course"
    make_course(root)
    with Pool(1, root=root) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograde.cluster.runner.Pool", lambda *_, **__: contextlib.nullcontext(pool))
        assert command(root, "grade", NAME).exit_code == 0
        root.rename(root.with_name("as graded"))
        yield root


@pytest.fixture
def course(graded: Path) -> Path:
    shutil.rmtree(graded, ignore_errors=True)
    shutil.copytree(graded.with_name("as graded"), graded)
    return graded


def command(root: Path, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--root", str(root), "--workers", "1"], catch_exceptions=False)


def found(result: Result) -> dict[str, Any]:
    """What `--say json` says of a regrade: exercise by student -> before, after; and the rest as it stands."""
    assert result.exit_code == 0
    (said,) = (line for line in map(json.loads, result.stdout.splitlines()) if "regrade" in line)
    rows = {row["student"]: row["differences"] for row in said.pop("regrade")}
    changes = {name: {one["exercise"]: (one["before"], one["after"]) for one in ones} for name, ones in rows.items()}
    return {**said, "changes": changes}


def kept(root: Path) -> dict[str, bytes]:
    """All files of the course but what a regrade keeps aside."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    names = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    return {name: content for name, content in names.items() if not name.startswith(".autograde/regrade/")}


def test_nothing_to_do_is_said_in_one_line(course: Path, ran: list[str]) -> None:
    before = kept(course)
    said = command(course, "regrade", NAME)
    assert "All 3 results of 00_tiny fit the lesson as it is: nothing to regrade." in said.stdout
    assert "what changes" not in said.stdout
    assert (said.exit_code, ran, kept(course)) == (0, [], before)


def test_differences_are_shown_first_and_written_only_when_asked(course: Path, ran: list[str]) -> None:
    mark_by_hand(course, "ben", "test_attention", 1.5)  # its score stays
    mark_by_hand(course, "ben", "why", 2)
    change_lesson(course, ask_exactness)
    before = kept(course)
    said = command(course, "regrade", NAME).stdout
    assert sorted(ran) == ["ada", "ben", "eve"]
    assert kept(course) == before
    line = next(line for line in said.splitlines() if "4 → 0 of 4" in line)
    assert "ben" in line
    assert "products are exact" in line
    assert "2 of 3 submissions unchanged, 0 gain, 1 loses, sum -4." in said
    assert "Marks given by hand: 2, all of them stay; none must be looked at again." in said
    assert f"`autograde regrade {NAME} --apply` writes this" in said
    ran.clear()
    assert found(command(course, "regrade", NAME, "--say", "json"))["changes"] == {
        "ada": {}, "ben": {"scores": (4, 0)}, "eve": {},
    }  # fmt: skip
    assert "4 → 0 of 4" in command(course, "regrade", NAME, "--apply").stdout
    assert ran == []
    marks = held(course)
    assert {name: marks["ben"][name][:3] for name in ("test_scores", "test_attention", "why")} == {
        "test_scores": (0, None, False),
        "test_attention": (5, 1.5, False),
        "why": (None, 2, False),  # the same answer: nobody has to read it again
    }
    assert "products are exact" in (course / "reports" / f"{NAME}.html").read_text()
    assert "products are exact" in (course / "autograded" / "ben" / NAME / f"{NAME}.ipynb").read_text()
    assert not (course / ".autograde" / "regrade").exists()
    assert "nothing to regrade" in command(course, "regrade", NAME).stdout
    assert "3 of 3 unchanged" in command(course, "grade", NAME).stdout
    assert ran == []


def test_a_mark_over_a_changed_score_stays_and_asks_for_a_look(course: Path) -> None:
    mark_by_hand(course, "ben", "test_scores", 3.5)
    change_lesson(course, ask_exactness)
    said = command(course, "regrade", NAME, "--apply", "--student", "ben").stdout
    assert "3.5 stays, look again" in said
    assert "to look at again: ben (test_scores)" in said
    assert "1 changes without gain or loss, sum 0" in said
    assert held(course)["ben"]["test_scores"] == (0, 3.5, True, 4)
    command(course, "grade", NAME, "--student", "ben", "--force")  # nobody has looked yet
    assert held(course)["ben"]["test_scores"] == (0, 3.5, True, 4)


def test_grading_a_changed_lesson_says_how_many_scores_changed(course: Path, ran: list[str]) -> None:
    hand_in(course, tiny_lesson(), "ada", {"scores": "def scores(x, y):\n    return None"})
    change_lesson(course, ask_exactness)
    said = command(course, "regrade", NAME, "--student", "ben")
    ran.clear()
    said = command(course, "grade", NAME)
    assert sorted(ran) == ["ada", "eve"]  # what a regrade has run is not run again
    assert "Scores changed with the lesson or the grader: 1, in 1 of 3 submissions." in said.stdout
    assert f"`autograde regrade {NAME}` shows that" in said.stdout
    assert held(course)["ben"]["test_scores"][0] == 0


def test_other_points_and_other_cells(course: Path, ran: list[str]) -> None:
    """nbgrader takes other points; cells that come or go after grading it refuses, and we say so before."""

    def more_points(notebook: Any) -> None:
        cell(notebook, "test_attention").metadata.nbgrader.points = 6

    def without_layer(notebook: Any) -> None:
        notebook.cells.remove(cell(notebook, "test_Layer"))

    change_lesson(course, more_points)
    assert "5 of 5 → 6 of 6" in command(course, "regrade", NAME, "--student", "ada", "--apply").stdout
    assert held(course)["ada"]["test_attention"] == (6, None, False, 6)
    change_lesson(course, without_layer)
    before = kept(course)
    said = command(course, "regrade", NAME, "--student", "ada").stdout
    assert "8 → – of 8" in said
    assert "no longer part of the lesson" in said
    assert "--apply will be refused." in said
    assert "removed test_Layer" in said
    with pytest.raises(CourseError, match="removed test_Layer"):
        command(course, "regrade", NAME, "--student", "ada", "--apply")
    assert kept(course) == before


@pytest.mark.nightly
def test_stopped_it_goes_on_where_it_was(course: Path, ran: list[str]) -> None:
    change_lesson(course, ask_exactness)
    words = ["regrade", NAME, "--say", "json", "--workers", "1"]
    program = [sys.executable, "-c", "from autograde.cli import main; main()", *words]
    with subprocess.Popen(program, cwd=course, stdout=subprocess.PIPE, start_new_session=True) as first:
        assert first.stdout is not None
        done = json.loads(first.stdout.readline())["student"]
        os.killpg(first.pid, signal.SIGKILL)
    assert found(command(course, "regrade", NAME, "--say", "json"))["changes"]["ben"] == {"scores": (4, 0)}
    assert done not in ran
    assert ran


def test_new_submissions_and_damaged_results_are_named(course: Path, ran: list[str]) -> None:
    hand_in(course, tiny_lesson(), "zoe", {})
    (course / ".autograde" / "results" / NAME / "eve" / "result.json").write_text("{")
    said = command(course, "regrade", NAME, "--say", "json")
    assert ran == ["eve"]
    assert {**found(said), "not_run": {}} == {
        "changes": {"ada": {}, "ben": {}}, "never_graded": ["zoe"], "damaged": ["eve"], "not_run": {},
        "changed": True, "refusal": "",
    }  # fmt: skip


def test_who_cannot_be_run_keeps_what_is_there(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autograde.run import pool

    def broken(self: Pool, jobs: Iterator[Job]) -> Iterator[pool.Result]:
        yield from (pool.Result(job.id, error="No room.", refused=True) for job in jobs)

    change_lesson(course, ask_exactness)
    before = held(course)
    monkeypatch.setattr(Pool, "run", broken)
    said = command(course, "regrade", NAME, "--apply").stdout
    assert said.count("could not be run and keeps what is there: No room.") == 3
    assert held(course) == before


def verdict(points: float, status: Any = "passed", message: str = "", name: str = "scores") -> Verdict:
    return Verdict(f"test_{name}", name, status, points, 4, message)


def result(*verdicts: Verdict, **more: Any) -> Graded:
    return Graded("ada", NAME, verdicts, (), None, True, 1.0, **more)


def test_what_a_comparison_says() -> None:
    right, wrong = (
        result(verdict(4), handed_in="a"),
        result(verdict(0, "failed", "No.\nlikely cause: x"), handed_in="a"),
    )
    (lost,) = compare(right, wrong).differences
    assert (lost.change, lost.why, lost.score()) == (-4, "No. (likely cause: x)", "4 → 0 of 4")
    (gained,) = compare(wrong, right).differences
    assert (gained.change, gained.why) == (4, "passes now")
    (new,) = compare(right, result(verdict(4), verdict(1, name="more"), handed_in="a")).differences
    assert (new.before, new.why, new.score()) == (None, "new in the lesson", "– → 1 of 4")
    (broken,) = compare(right, result(verdict(0, "broken test", "Ours."), handed_in="a")).differences
    assert (broken.after, broken.score()) == (None, "4 → – of 4")
    assert compare(right, result(verdict(4, message="Well."), handed_in="a")) == Comparison("ada", words=True)
    assert compare(right, result(*wrong.verdicts, handed_in="b")).differences[0].why.startswith("handed in anew: ")
    marks = {"test_scores": HandMark(3, 4, False), "why": HandMark(1, None, False)}
    assert compare(right, wrong, marks).looks == ("test_scores",)
    assert compare(right, result(verdict(4), handed_in="b"), marks).looks == ("why",)
    assert compare(right, wrong, marks).differences[0] == Difference(
        "ada", "scores", 4, 0, 4, 4, "No. (likely cause: x)", given=3, look=True
    )


def test_a_class_in_one_line() -> None:
    def row(*changes: float, **more: Any) -> Comparison:
        return Comparison("ada", tuple(Difference("ada", "x", 0, change, 4, 4, "") for change in changes), **more)

    rows = [row(), row(words=True, marks=1), row(2), row(1.5), row(-1), row(1, -1)]
    assert summary(rows) == ("2 of 6 submissions unchanged, 2 gain, 1 loses, 1 changes without gain or loss, sum +2.5.")
    assert remarks(rows) == [
        "1 of the unchanged gets other words for the same score.",
        "Marks given by hand: 1, all of them stay; none must be looked at again.",
    ]
    assert remarks([row()]) == []
