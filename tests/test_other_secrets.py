"""Our own solutions keep all points whatever the secret of the course is: no draw of a hidden test fails them."""

from __future__ import annotations

import hashlib

import pytest
from conftest import REPO

from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.run.pool import Job, Pool
from autograde.seeds import seeds_for
from autograde.verify import instructors

SECRETS = 12
LESSONS = sorted(path.stem for path in (REPO / "source").glob("[0-9]*.py"))


@pytest.mark.nightly
@pytest.mark.sandbox
@pytest.mark.parametrize("name", LESSONS)
def test_our_solutions_earn_all_points_with_any_secret(name: str) -> None:
    lesson = Lesson.load(REPO, name)
    raw, limits = instructors(lesson), Limits.for_lesson(lesson.notebook.metadata)
    secrets = [hashlib.sha256(f"secret {number}".encode()).digest() for number in range(SECRETS)]
    jobs = [
        Job(str(number), raw, REPO, name, limits, seeds_for(lesson, secret)) for number, secret in enumerate(secrets)
    ]
    with Pool(root=REPO) as pool:
        lost = [
            f"secret {result.id}, {verdict.exercise}: {verdict.status}: {verdict.detail or verdict.message}"
            for result in pool.run(jobs)
            for verdict in result.verdicts
            if not verdict.full
        ]
    assert lost == []
