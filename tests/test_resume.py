"""A class graded in pieces: nothing finished is run twice, nothing is lost, the gradebook is the same in the end."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_course import WRONG_AT_THE_EDGE, hand_in, held, make_course, mark_by_hand
from tiny_lesson import NAME, tiny_lesson

from autograde.alone import alone
from autograde.gradebook.grade import Course
from autograde.progress import Pace
from autograde.run.pool import Job, Pool

pytestmark = pytest.mark.sandbox

STUDENTS = ("ada", "boris", "carla")
GRADE = [sys.executable, "-c", "from autograde.cli import main; main()", "grade", NAME, "--say", "json"]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small class that nobody has graded yet. One submission needs no run: there is nothing in it.

    All tests have one job server and one place for the course, so that nothing heavy starts twice.
    """
    root = tmp_path_factory.mktemp("handed_in") / "course"
    make_course(root, {"ada": {}, "boris": {"scores": WRONG_AT_THE_EDGE}, "carla": {}})
    (root / "submitted" / "nobody" / NAME).mkdir(parents=True)
    with Pool(1, root=root) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograde.cluster.runner.Pool", lambda *_, **__: contextlib.nullcontext(pool))
        root.rename(root.with_name("as handed in"))
        yield root


@pytest.fixture
def klass(handed_in: Path) -> Path:
    shutil.rmtree(handed_in, ignore_errors=True)
    shutil.copytree(handed_in.with_name("as handed in"), handed_in)
    return handed_in


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose submissions are run, in this process."""
    names: list[str] = []
    run = Pool.run

    def noted(self: Pool, jobs: Iterator[Job]) -> Any:
        return run(self, (names.append(job.id) or job for job in jobs))  # type: ignore[func-returns-value]

    monkeypatch.setattr(Pool, "run", noted)
    return names


def grade(root: Path, **how: Any) -> dict[str, float]:
    return {row.student: row.score for row in Course(root, workers=1).grade(NAME, **how)}


def test_what_is_graded_is_not_run_again_until_it_changes(klass: Path, ran: list[str]) -> None:
    first = grade(klass)
    assert sorted(ran) == sorted(STUDENTS)
    before = held(klass)
    ran.clear()
    assert grade(klass) == first
    assert ran == []
    hand_in(klass, tiny_lesson(), "boris", {})
    assert grade(klass)["boris"] == 17 > first["boris"]
    assert ran == ["boris"]
    ran.clear()
    assert grade(klass, force=True)["boris"] == 17
    assert sorted(ran) == sorted(STUDENTS)
    assert {name: marks for name, marks in held(klass).items() if name != "boris"} == {
        name: marks for name, marks in before.items() if name != "boris"
    }


def test_a_new_time_of_submission_runs_nothing_and_reaches_the_gradebook(klass: Path, ran: list[str]) -> None:
    grade(klass, only="ada")
    ran.clear()
    (klass / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2026-03-01 12:00:00 UTC")
    grade(klass, only="ada")
    assert ran == []
    with sqlite3.connect(klass / "gradebook.db") as gradebook:
        assert [time for (time,) in gradebook.execute("select timestamp from submitted_assignment")] == [
            "2026-03-01 12:00:00.000000"
        ]


def test_a_new_gradebook_is_filled_from_what_is_kept_and_a_changed_lesson_is_run(klass: Path, ran: list[str]) -> None:
    first = grade(klass)
    before = held(klass)
    ran.clear()
    (klass / "gradebook.db").unlink()
    assert grade(klass) == first
    assert (ran, held(klass)) == ([], before)
    secret = klass / ".autograde" / "secret"
    secret.write_bytes(bytes(reversed(secret.read_bytes())))  # other hidden inputs
    grade(klass, only="ada")
    assert ran == ["ada"]


def test_a_result_that_is_damaged_or_not_whole_is_made_again(klass: Path, ran: list[str]) -> None:
    grade(klass)
    ran.clear()
    (klass / ".autograde" / "results" / NAME / "ada" / "result.json").write_text('{"student": "ada"')
    (klass / ".autograde" / "submitted" / "boris" / NAME / f"{NAME}.ipynb").unlink()
    grade(klass)
    assert sorted(ran) == ["ada", "boris"]


def test_a_mark_given_by_hand_survives(klass: Path, ran: list[str]) -> None:
    grade(klass)
    mark_by_hand(klass, "ada", "test_scores", 2.5)
    grade(klass)
    grade(klass, force=True)
    assert held(klass)["ada"]["test_scores"][1] == 2.5


@pytest.mark.parametrize("lines", [1, *(pytest.param(more, marks=pytest.mark.nightly) for more in (2, 3))])
def test_killed_at_any_moment_and_run_again_it_is_as_if_undisturbed(klass: Path, tmp_path: Path, lines: int) -> None:
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(klass, undisturbed)
    command = [*GRADE, "--workers", "1"]
    with subprocess.Popen(command, cwd=klass, stdout=subprocess.PIPE, start_new_session=True) as first:
        assert first.stdout is not None
        for _ in range(lines):
            first.stdout.readline()
        time.sleep(0.3 * lines)  # into the next one's run, or into writing it
        os.killpg(first.pid, signal.SIGKILL)
    again = [json.loads(line) for line in subprocess.check_output(GRADE, cwd=klass).splitlines()]
    rows = {row["student"]: row for row in again if "student" in row}
    assert set(rows) == {*STUDENTS, "nobody"}
    assert sum(row["unchanged"] for row in rows.values()) >= lines
    subprocess.check_output(GRADE, cwd=undisturbed)
    assert held(klass) == held(undisturbed)


def test_a_second_grader_waits_for_the_first(klass: Path) -> None:
    with contextlib.ExitStack() as stack:
        with alone(klass):
            second = stack.enter_context(subprocess.Popen(GRADE, cwd=klass, stdout=subprocess.PIPE, text=True))
            assert second.stdout is not None
            rows = [json.loads(second.stdout.readline())]
            assert second.poll() is None
        rows += [json.loads(line) for line in second.stdout]
    assert second.returncode == 0
    assert rows[0] == {"waiting": "another grader"}
    assert held(klass)


def test_while_somebody_else_writes_the_gradebook_a_result_waits(klass: Path) -> None:
    grade(klass, only="boris")
    other = sqlite3.connect(klass / "gradebook.db", check_same_thread=False, isolation_level=None)
    other.execute("begin exclusive")
    import threading

    threading.Timer(12.0, other.rollback).start()  # longer than SQLite itself waits
    (row,) = Course(klass, workers=1).grade(NAME, "nobody")
    assert not [note for note in row.notes if note.code == "not in the gradebook"]
    assert held(klass)["nobody"]


def test_the_pace_counts_what_was_run() -> None:
    now = [0.0]
    pace = Pace(10, lambda: now[0])
    assert (pace.per_minute, pace.left, pace.words()) == (None, None, "")
    for _ in range(4):
        pace.step(unchanged=True)
    now[0] = 30.0
    assert pace.left is None
    for _ in range(2):
        pace.step(unchanged=False)
    assert (pace.per_minute, pace.left) == (4.0, 60.0)
    assert pace.words() == "4.0 a minute, 1:00 left"
