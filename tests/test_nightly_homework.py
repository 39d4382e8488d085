"""Homework in a nightly run: our version that loses points, a release that earns some, a wrong row of the bank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lesson_text import GOOD, NAME, change
from nightly_course import course, failures, task

from autograde import verified, verify
from autograde.bank import Answer
from autograde.errors import SandboxUnavailable
from autograde.nightly import homework
from autograde.nightly.check import Outcome
from autograde.nightly.run import _safely


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return course(tmp_path_factory.mktemp("sound") / "course")


@pytest.fixture(scope="module")
def graded(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """The sound lesson, and one whose `mean` is wrong and whose `Scale` needs no solution: our versions, releases."""
    wrong = change("return total / len(x)", "return total / (len(x) + 1)", GOOD)
    wrong = change("    layer = Scale(x.shape[-1])\n    with torch.no_grad():\n        layer.weight.copy_(weight)\n"
                   "    return layer(x)", "    return x * weight", wrong)  # fmt: skip
    defect = course(tmp_path_factory.mktemp("defect") / "course", homework=wrong)
    found = {}
    for name, root in {"sound": sound, "defect": defect}.items():
        tasks = [task("instructor"), task("release")]
        for outcome in homework.grade(root, tasks, 1):
            found[f"{name} {outcome.task.name}"] = outcome
    return found


@pytest.mark.nightly
@pytest.mark.sandbox
def test_our_own_version_earns_all_and_the_release_nothing(graded: dict[str, Outcome]) -> None:
    assert failures(graded["sound instructor"].checks) == {}
    assert failures(graded["sound release"].checks) == {}
    assert graded["sound instructor"].checks[0].note == "17 of 17 points in 2 exercises"


@pytest.mark.nightly
@pytest.mark.sandbox
def test_our_own_version_that_loses_and_a_release_that_earns_are_reported(graded: dict[str, Outcome]) -> None:
    [lost] = graded["defect instructor"].checks[0].failures
    assert lost.what == "our own mean earns 0 of 8 points (failed)"
    assert lost.source.startswith("@check.probe\ndef observe(x)")
    assert "the mean of 1, 2 and 6" in lost.traceback
    [earned] = graded["defect release"].checks[0].failures
    assert earned.what.startswith("Scale as released earns 9 of 9 points")
    assert earned.repeat == f"autograde nightly --lesson {NAME} --only release"


RIGHT = "def mean(x):\n    if not x:\n        raise ValueError\n    return sum(x) / len(x)\n"


@pytest.mark.sandbox
def test_a_wrong_row_of_the_answer_bank_is_reported(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Answer(NAME, "mean", True, "sum", RIGHT)
    passes = Answer(NAME, "mean", False, "no_mistake", f'"""A hint."""\n{RIGHT}')
    given = [right]

    def bank(lesson: Any, exercise: str | None = None) -> list[Answer]:
        return [answer for answer in given if exercise in (None, answer.exercise)]

    monkeypatch.setattr(verify, "bank", bank)
    monkeypatch.setattr(verified, "bank", bank)
    told: list[tuple[int, int]] = []
    [holds] = homework.verify(sound, task("bank"), lambda *rows: told.append(rows), 1)
    assert failures(holds.checks) == {}
    assert told == [(0, 1), (1, 1)]
    given.append(passes)
    [fails] = homework.verify(sound, task("bank"), lambda *rows: None, 1)
    first, named = fails.checks[0].failures
    assert first.what == "mean/wrong/no_mistake: a wrong answer kept 8 of 8 points"
    assert first.repeat == f"autograde verify {NAME} --exercise mean"
    assert "def mean" in first.source
    assert named.what.startswith("named: 0 of 1")
    assert (fails.scores[0].caught, fails.scores[0].wrong, fails.scores[0].accepted) == (0, 1, 1)


def test_a_lesson_without_a_bank_fails(sound: Path) -> None:
    [outcome] = homework.verify(sound, task("bank"), lambda *_: None, 1)
    assert "has no answers" in outcome.checks[0].failures[0].what


def test_when_the_job_server_does_not_start_each_task_fails(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> None:
        raise SandboxUnavailable("bubblewrap does not work here")

    monkeypatch.setattr(homework, "Pool", refuses)
    tasks = [task("instructor"), task("release")]
    outcomes = list(_safely(tasks, homework.grade(sound, tasks, 1)))
    assert [outcome.checks[0].kind for outcome in outcomes] == ["instructor", "release"]
    assert all("bubblewrap does not work" in outcome.checks[0].failures[0].what for outcome in outcomes)
