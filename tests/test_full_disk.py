"""A full disk: files are whole or as they were, the gradebook is intact, and with room again all ends undisturbed."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_disk import filled, on_small_disk
from tiny_course import ask_exactness, change_lesson, held, make_course, mark_by_hand
from tiny_lesson import NAME, as_bytes, score, solved, tiny_lesson

from autograde import build, files
from autograde.cluster import runner
from autograde.errors import DiskFull
from autograde.gradebook.grade import Course
from autograde.gradebook.regrade import Regrade
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.publish import folder as publish_folder
from autograde.repair import repair
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for
from autograde.verdict import Verdict, no_points

KIB = 1024


@contextlib.contextmanager
def refused(path: str = "") -> Iterator[None]:
    with pytest.raises(DiskFull, match=r"The disk is full: .* could not be written.*Free some space and run") as found:
        yield
    assert path in str(found.value)


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.name != "stone"}


def files_are_whole(disk: Path) -> None:
    page, ledger, release = disk / "page.html", disk / "ledger", disk / "release"
    files.write(page, "old")
    files.append(ledger, b"old\n")
    new = Path(tempfile.mkdtemp())
    (new / "notebook").write_bytes(bytes(100 * KIB))
    release.mkdir()
    (release / "notebook").write_text("old")
    into = disk / "students"
    first = publish_folder.write(into, {"README.md": b"old"}, {})
    assert first.total == 1
    before = names(disk)
    with filled(disk, 64 * KIB):
        with refused("page.html"):
            files.write(page, "new" * 100 * KIB)
        with refused("ledger"):
            files.append(ledger, b"new\n" * 100 * KIB)
        with refused("release"):
            build._replace_folder(new, release)
        with refused("notebook"):
            build._replace_file(new / "notebook", release / "notebook")
        with refused("README.md"):
            publish_folder.write(into, {"README.md": bytes(100 * KIB)}, publish_folder.examine(into, Path("/nowhere")))
        assert names(disk) == before
    assert [path.read_text() for path in (page, ledger, release / "notebook")] == ["old", "old\n", "old"]
    assert (into / "README.md").read_text() == "old"
    shutil.rmtree(new)


def temporary_folders(disk: Path) -> None:
    tempfile.tempdir = None
    tempfile._candidate_tempdir_list = lambda: [str(disk)]  # type: ignore[attr-defined]
    with filled(disk), refused(), Pool(1, sandboxed=False):
        pass


def a_job_is_handed_out(disk: Path) -> None:
    pool, job = Pool(1), Job("ada", bytes(100 * KIB), disk, NAME, Limits(), {})
    pool._folder, pool._ready = tempfile.TemporaryDirectory(dir=disk), True  # there is no server: it gets nothing
    with filled(disk):
        (result,) = pool.run([job])
    assert (result.id, result.refused) == ("ada", True)
    assert "The disk is full: " in str(result.error)
    pool._folder.cleanup()


def files_and_folders(disk: Path) -> None:
    files_are_whole(disk)
    temporary_folders(disk)
    a_job_is_handed_out(disk)


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    on_small_disk(files_and_folders, "1m", tmp_path)


class InProcess:
    """A pool without kernels: it runs submissions of people whom we trust in this process, which takes no time."""

    def __init__(self, *_: Any, **__: Any) -> None: ...
    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None: ...
    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        for job in jobs:
            lesson = Lesson.load(job.root, job.lesson)
            notebook = repair(job.raw, lesson).notebook
            passed = score(notebook, lesson)
            verdicts = [
                Verdict(str(test.grade_id), str(test.exercise), "passed", test.points, test.points)
                if passed[str(test.grade_id)]
                else no_points(str(test.grade_id), str(test.exercise), test.points, "failed", "It does not hold.")
                for test in lesson.tests
            ]
            yield Result(job.id, tuple(verdicts), notebook=notebook)


def grade(root: Path) -> None:
    list(Course(root, workers=1, sandboxed=False).grade(NAME))


def regrade(root: Path) -> None:
    work = Regrade(Course(root, workers=1, sandboxed=False), NAME)
    list(work.run())
    list(work.apply())


def a_class_graded_on_a_full_disk(disk: Path, step: int = 160 * KIB) -> None:
    """Wherever the disk is full, grading and regrading stop, and go on when there is room."""
    runner.Pool = InProcess  # type: ignore[misc, assignment]
    undisturbed = Path(tempfile.mkdtemp()) / "course"
    make_course(undisturbed)
    course_secret(undisturbed)
    handed_in = undisturbed.with_name("handed in")
    shutil.copytree(undisturbed, handed_in)
    grade(undisturbed)
    marked = held(undisturbed)
    assert {name: marks["test_scores"][0] for name, marks in marked.items()} == {"ada": 4, "ben": 4, "eve": 0}
    mark_by_hand(undisturbed, "ben", "test_scores", 3.5)
    mark_by_hand(undisturbed, "ada", "why", 2)
    change_lesson(undisturbed, ask_exactness)
    regrade(undisturbed)
    assert held(undisturbed)["ben"]["test_scores"] == (0, 3.5, True, 4)
    root = disk / "course"
    shutil.copytree(handed_in, root)
    refusals = grows(disk, root, grade, step)
    assert held(root) == marked
    mark_by_hand(root, "ben", "test_scores", 3.5)
    mark_by_hand(root, "ada", "why", 2)
    change_lesson(root, ask_exactness)
    refusals += grows(disk, root, regrade, step)
    assert held(root) == held(undisturbed)
    kept = [{path for path in names(place) if ".part" in path or "journal" in path} for place in (root, undisturbed)]
    assert kept == [set(), set()]
    assert names(root) == names(undisturbed)
    assert {words for words in refusals if "gradebook.db" in words}
    assert {words for words in refusals if "gradebook.db" not in words}
    shutil.rmtree(undisturbed.parent)


def a_class_graded_on_a_disk_that_is_full_in_many_places(disk: Path) -> None:
    a_class_graded_on_a_full_disk(disk, 8 * KIB)


def grows(disk: Path, root: Path, work: Any, step: int) -> list[str]:
    """Do something again and again with a little more room each time, until it is done; what it said before that."""
    said: list[str] = []
    for left in range(0, 4096 * KIB, step):
        with filled(disk, left):
            try:
                work(root)
            except DiskFull as error:
                said.append(str(error))
            else:
                assert said
                return said
            if (root / "gradebook.db").exists():
                with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as gradebook:
                    assert gradebook.execute("pragma integrity_check").fetchall() == [("ok",)]
    raise AssertionError(f"It never ends: {said[-1]}")


@pytest.mark.parametrize(
    "work",
    [
        a_class_graded_on_a_full_disk,
        pytest.param(a_class_graded_on_a_disk_that_is_full_in_many_places, marks=pytest.mark.nightly),
    ],
)
def test_a_class_is_graded_and_regraded_on_a_full_disk(work: Any, tmp_path: Path) -> None:
    on_small_disk(work, "8m", tmp_path)


def jobs_with_hardly_room(disk: Path) -> None:
    """What is full is the place for temporary files, with which all processes of a run work."""
    root = Path(tempfile.mkdtemp(dir="/var/tmp"))
    lesson = make_course(root, {})
    tempfile.tempdir = os.environ["TMPDIR"] = str(disk)
    notebook = solved(tiny_lesson())
    job = Job("ada", as_bytes(notebook), root, NAME, Limits(), seeds_for(lesson, b"secret"), sandboxed=False)
    outcomes = set()
    with Pool(1, sandboxed=False) as pool:
        for left in (0, 4, 8, 16, 20, 24, 28, 40, 48, 64, 1024):
            with filled(disk, left * KIB):
                result = pool.run_one(job)
            assert result.id == "ada"
            if result.error is None:
                assert sum(verdict.points for verdict in result.verdicts) == 17
            else:
                assert result.refused
                assert "The disk is full: " in result.error, (left, result.error)
            outcomes.add(result.error is None)
        assert pool.run_one(job).error is None
    assert outcomes == {True, False}
    shutil.rmtree(root)


@pytest.mark.nightly
def test_a_job_without_room_is_refused_with_the_reason(tmp_path: Path) -> None:
    on_small_disk(jobs_with_hardly_room, "4m", tmp_path)
