"""A class graded on a Dask cluster: over TLS or not at all, with what travels in the task, whatever dies."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO
from dask_cluster import DaskCluster, dask_cluster, end, make_certificates
from tiny_lesson import NAME, as_bytes, instructor, solved, tiny_lesson

from autograde.cluster import client
from autograde.cluster.parcel import pack_lesson
from autograde.cluster.worker import TRIES
from autograde.errors import CourseError
from autograde.gradebook.grade import Course
from autograde.gradebook.results import load_all
from autograde.run.pool import Job

pytestmark = [pytest.mark.sandbox, pytest.mark.nightly]

WRONG = "def attention(x, y):\n    return [-score for score in scores(x, y)]\n"
HINT = "The scores are negated, not made gates."


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def cluster(certificates: Path) -> Iterator[DaskCluster]:
    with dask_cluster(certificates, workers=2) as cluster:
        yield cluster


@pytest.fixture
def klass(tmp_path: Path) -> Path:
    """A course with the tiny lesson and a small class."""
    root, lesson = tmp_path / "course", tiny_lesson()
    for side, notebook in (("source", instructor()), ("release", lesson.release)):
        (root / side / NAME).mkdir(parents=True)
        (root / side / NAME / f"{NAME}.ipynb").write_bytes(as_bytes(notebook))
    shutil.copy(REPO / "nbgrader_config.py", root)
    hand_in(root, "ada", as_bytes(solved(lesson)))
    hand_in(root, "boris", as_bytes(lesson.release))
    hand_in(root, "carla", answered(attention=WRONG))
    hand_in(root, "damaged", b'{"cells": [')
    (root / "submitted" / "nobody" / NAME).mkdir(parents=True)
    return root


def answered(**answers: str) -> bytes:
    """A solved notebook with other answers in some cells."""
    notebook = solved(tiny_lesson())
    for cell in notebook.cells:
        cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    return as_bytes(notebook)


def sleeping(seconds: int, name: int) -> bytes:
    """Works, but sleeps for a while, as a process that can be told from others."""
    source = next(cell.source for cell in solved(tiny_lesson()).cells if cell.id == "scores")
    return answered(scores=f"import subprocess\nsubprocess.run(['timeout', '{seconds}', 'sleep', '{name}'])\n{source}")


def hand_in(root: Path, student: str, content: bytes) -> None:
    folder = root / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.ipynb").write_bytes(content)


def told(row: Any) -> dict[str, Any]:
    """A result without what differs between two runs, and without what depends on the bank."""
    verdicts = [{**verdict.to_dict(), "seconds": 0.0, "mistake": ""} for verdict in row.verdicts]
    return {**row.to_dict(), "seconds": 0.0, "verdicts": verdicts, "key": ""}


def test_a_worker_dies_and_nothing_is_lost(
    cluster: DaskCluster, klass: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(klass, "sleepy", sleeping(6, 7654))
    here = {row.student: row for row in Course(klass).grade(NAME)}
    assert {name: row.score for name, row in here.items()} == {
        "ada": 17, "boris": 0, "carla": 4, "damaged": 0, "nobody": 0, "sleepy": 17
    }  # fmt: skip
    forget(klass)
    # No worker has these answers, and while they work there is no lesson in the course folder.
    wrong = tmp_path / "answers" / NAME / "attention" / "wrong" / "negated.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text(f'"""{HINT}"""\n\n{WRONG}')
    monkeypatch.setattr("autograde.bank.ANSWERS", tmp_path / "answers")
    packed: list[bytes] = []

    def pack_and_hide(job: Job) -> bytes:
        packed.append(pack_lesson(job))
        for side in ("source", "release"):
            (klass / side).rename(klass / f"{side}.away")
        return packed[-1]

    monkeypatch.setattr(client, "pack_lesson", pack_and_hide)
    # So Dask gives up at once on all that the worker had, what only waited there, too; we do not.
    cluster.allow_deaths(0)
    with killing(lambda: end(cluster.wait_for(7654)[0].pid)):
        there = {row.student: row for row in Course(klass, scheduler=cluster.known()).grade(NAME)}
    cluster.allow_deaths(3)
    assert len(packed) == 1
    assert [verdict.mistake for verdict in there["carla"].verdicts if verdict.mistake] == [HINT]
    assert {name: told(row) for name, row in there.items()} == {name: told(row) for name, row in here.items()}
    cluster.start_worker()


def test_a_submission_that_kills_its_workers_is_explained_after_its_third(cluster: DaskCluster, klass: Path) -> None:
    hand_in(klass, "poison", sleeping(60, 7655))
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < TRIES:
            worker = cluster.wait_for(7655)[1]
            worker.kill()  # its nanny starts another
            killed.append(worker.pid)
            while cluster.running(7655):
                time.sleep(0.1)

    with killing(kill):
        rows = {row.student: row for row in Course(klass, scheduler=cluster.known()).grade(NAME)}
    assert len(set(killed)) == TRIES
    assert rows["poison"].error == "3 workers died while they ran it. An instructor must look at it."
    assert {verdict.status for verdict in rows["poison"].verdicts} == {"broken test"}
    assert {name: row.score for name, row in rows.items() if name != "poison"} == {
        "ada": 17, "boris": 0, "carla": 4, "damaged": 0, "nobody": 0
    }  # fmt: skip
    assert rows["poison"].key == ""  # it is run again next time
    assert cluster.running(7655) is None


def test_a_worker_of_another_version_or_of_none_grades_nothing(certificates: Path, klass: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for package in ("autograde", "course_utils"):
        shutil.copytree(REPO / package, other / package)
    verdict = other / "autograde" / "verdict.py"
    verdict.write_text(f"{verdict.read_text()}# of last year\n")
    (tmp_path / "none" / "autograde").mkdir(parents=True)
    (tmp_path / "none" / "autograde" / "__init__.py").touch()
    words = {
        "other": r"it has autograde .*, torch .*, and here is autograde",
        "none": r"not installed where these workers run: tls://",
    }
    for name, said in words.items():
        with dask_cluster(certificates) as cluster:
            cluster.start_worker(PYTHONPATH=str(tmp_path / name))
            with pytest.raises(CourseError, match=said):
                list(Course(klass, scheduler=cluster.known()).grade(NAME))
    assert load_all(klass, NAME).keys() <= {"nobody"}


def test_when_the_scheduler_dies_the_same_command_goes_on(certificates: Path, klass: Path) -> None:
    hand_in(klass, "sleepy", sleeping(4, 7656))
    done = []
    with (
        dask_cluster(certificates, workers=1) as cluster,
        killing(lambda: cluster.wait_for(7656) and cluster.processes[0].kill()),
        pytest.raises(CourseError, match=r"was lost\. Run the same command again"),
    ):
        done += [row.student for row in Course(klass, scheduler=cluster.known()).grade(NAME)]
    course = Course(klass)
    assert {row.student: row.score for row in course.grade(NAME)}["sleepy"] == 17
    assert course.unchanged >= {name for name in done if name != "nobody"}


def forget(root: Path) -> None:
    """Let a class be as if it had never been graded; only the secret stays."""
    (root / "gradebook.db").unlink()
    for made in ("autograded", ".autograde/results", ".autograde/submitted"):
        shutil.rmtree(root / made)


@contextlib.contextmanager
def killing(kill: Callable[[], object]) -> Iterator[None]:
    """Do this beside what follows; it must have succeeded in the end."""
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(kill)
        yield
        done.result()
