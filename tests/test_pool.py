"""The coordinator's side of the job server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograde import leftovers
from autograde.limits import Limits
from autograde.run.pool import Job, Pool
from autograde.run.words import words_for
from autograde.run.workers import Workers


def test_no_two_submissions_share_a_file() -> None:
    """Submissions run side by side: a name is not a path, and what follows its last dot is part of it."""
    pool, ids = Pool(2), ["j", "j.smith", "j.doe", "a/b", "a_b", "=1+1, d'Arc", "\udcff", "x" * 255]
    with tempfile.TemporaryDirectory() as folder:
        pool._folder = tempfile.TemporaryDirectory(dir=folder)
        paths = [path for name in ids for path in pool._paths(Job(name, b"", Path(), "03_qkv", Limits(), {}))]
        assert len(set(paths)) == 2 * len(ids)
        for path in paths:
            path.write_bytes(b"")
        pool._folder.cleanup()


def test_what_a_killed_process_left_is_swept_away_a_day_later_and_nothing_else(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    old = time.time() - 2 * leftovers.LEAST
    names = {f"course-warm-{ended.pid}-abc": True, f"course-warm-{os.getpid()}-abc": False, "course-notes": False}
    for name in names:
        (tmp_path / name / "room").mkdir(parents=True)
        os.utime(tmp_path / name, (old, old))
    (tmp_path / f"course-jobs-{ended.pid}-new").mkdir()
    assert leftovers.sweep(tmp_path) == [tmp_path / name for name, goes in names.items() if goes]
    assert {path.name for path in tmp_path.iterdir()} == {
        f"course-jobs-{ended.pid}-new",
        *(name for name, goes in names.items() if not goes),
    }
    assert re.fullmatch(
        r"course-[a-z]+-\d+-\w+", Path(tempfile.mkdtemp(prefix=leftovers.prefix("jobs"), dir=tmp_path)).name
    )


def test_where_submissions_share_a_core_their_times_are_longer_and_what_is_said_of_them_is_not() -> None:
    limits = Limits(cell=30.0, call=10.0, memory=1 << 30)
    longer = limits.stretched(2.0)
    assert (longer.cell, longer.call, longer.memory) == (60.0, 20.0, limits.memory)
    assert longer.told == limits
    assert words_for("timeout", longer) == words_for("timeout", limits)
    assert Limits(**longer.to_dict()) == longer


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    """Each writes its own pid where the job says, and then does as it says."""

    def work(job: dict[str, Any]) -> None:
        Path(job["out"]).write_text(str(os.getpid()))
        if job["then"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60 if job["then"] == "hang" else 0)

    workers = Workers(work)
    yield workers
    workers.close()


def ran(workers: Workers, folder: Path, *jobs: str, deadline: float = 60.0) -> list[int]:
    """Begin all jobs, wait until each is over; the pids of the workers that had them."""
    outs = {f"{number}": folder / f"{number}" for number in range(len(jobs))}
    for (name, out), then in zip(outs.items(), jobs, strict=True):
        workers.begin({"id": name, "out": str(out), "then": then, "deadline": deadline})
    reading, writing = os.pipe()
    over: list[str] = []
    while len(over) < len(jobs):
        over += workers.wait(reading, 0.2)
    os.close(reading)
    os.close(writing)
    assert sorted(over) == list(outs)
    return [int(out.read_text()) for out in outs.values()]


def test_a_worker_does_one_job_after_another_until_it_is_replaced(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograde.run.workers.MOST", 3)
    pids = [ran(workers, tmp_path, "end")[0] for _ in range(7)]
    assert [len(set(pids[:3])), len(set(pids[3:6])), len(set(pids))] == [1, 1, 3]


def test_jobs_side_by_side_have_a_worker_each(workers: Workers, tmp_path: Path) -> None:
    first, second = ran(workers, tmp_path, "end", "end")
    assert first != second
    assert set(ran(workers, tmp_path, "end", "end")) == {first, second}


def test_a_worker_that_dies_or_is_late_ends_its_own_job_only(workers: Workers, tmp_path: Path) -> None:
    died, lives = ran(workers, tmp_path, "die", "end")
    hung, _ = ran(workers, tmp_path, "hang", "end", deadline=1.0)
    assert hung == lives
    (new,) = ran(workers, tmp_path, "end")
    assert new not in (died, hung)
    assert not any(Path(f"/proc/{pid}").exists() for pid in (died, hung))


def test_workers_end_with_those_who_have_them(workers: Workers, tmp_path: Path) -> None:
    pids = ran(workers, tmp_path, "end", "end")
    workers.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
