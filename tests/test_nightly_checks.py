"""Each defect that a nightly run must find, planted in a tiny course, and found; the sound course holds."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lesson_text import NAME, change
from nightly_course import BUDGETS, END, FRAGILE, HOUR, course, ended, failures, task

from autograde.claims import read_record, record
from autograde.errors import CourseError
from autograde.live import as_class
from autograde.nightly import text, workers
from autograde.nightly.budgets import Budget, Budgets
from autograde.nightly.check import COURSE, Outcome, Task
from autograde.nightly.notebooks import execute
from autograde.nightly.plan import plan


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return course(tmp_path_factory.mktemp("sound") / "course")


def run(root: Path, name: str = "in-class:quick", seed: int = 0) -> Outcome:
    return execute(root, task(name, seed), root / "out")


# Notebooks


@pytest.mark.sandbox
def test_a_sound_notebook_holds_and_the_dear_claim_counts_once_it_is_measured(sound: Path) -> None:
    outcome = run(sound, "in-class:nightly", seed=1)
    assert failures(outcome.checks) == {}
    assert [check.kind for check in outcome.checks] == ["cells", "widgets", "time", "memory", "claims"]
    notes = {check.kind: check.note for check in outcome.checks}
    assert notes["widgets"] == "3 still pictures"
    assert notes["claims"] == "2 claims, 2 measured now"
    assert [(claim.name, claim.measured, claim.seed) for claim in outcome.claims][1:] == [
        ("the seed, measured for hours", 2.1, 1)
    ]
    record(sound, f"notebooks/{NAME}.ipynb", outcome.claims)
    kept = read_record(sound / "course_utils" / "recorded.json")["the seed, measured for hours"]
    assert {"python", "torch", "date"} <= kept.keys()
    live = run(sound, "live:quick")
    assert failures(live.checks) == {}
    assert live.claims == (), "the complete notebook's claims are the ledger's"


DEFECTS = {
    "a cell fails": (ended("1 / 0"), BUDGETS, {"cells": "ZeroDivisionError"}),
    "a picture fails at its lowest": (FRAGILE["lowest"], BUDGETS, {"widgets": "with turns at its lowest value"}),
    "a picture fails at its highest": (FRAGILE["highest"], BUDGETS, {"widgets": "with turns at its highest value"}),
    "a claim": (
        ended('claim("wrong", 3, expect=2, tol=0.5)'),
        BUDGETS,
        {"claims": "'wrong' does not hold"},
    ),
    "too long": (ended("import time\ntime.sleep(15)"), BUDGETS.replace("30", "15", 1), {"time": "and 15 are allowed"}),
    "too big": (ended("kept = bytearray(400_000_000)"), BUDGETS.replace("1500", "900", 1), {"memory": "and 900 are"}),
    "killed": (ended("import os\nos.kill(os.getpid(), 9)"), BUDGETS, {"cells": "the kernel ended in this cell"}),
}


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "a claim" else pytest.mark.nightly) for name in DEFECTS]
)
def test_a_defect_of_a_notebook_is_reported(tmp_path: Path, name: str) -> None:
    hour, budgets, expected = DEFECTS[name]
    root = course(tmp_path / "course", hour, budgets=budgets)
    outcome = run(root)
    found = failures(outcome.checks)
    found["claims"] = [line for line in found["claims"] if "was never measured" not in line]
    assert dict.fromkeys(expected, 1) == {kind: len(lines) for kind, lines in found.items() if lines}
    assert all(words in found[kind][0] for kind, words in expected.items())
    failure = next(each for check in outcome.checks if check.kind in expected for each in check.failures)
    assert failure.repeat == f"autograde nightly --lesson {NAME} --only in-class:quick --seed 0"
    assert failure.cell is None or failure.source


@pytest.mark.sandbox
def test_several_defects_of_one_notebook_are_each_reported(tmp_path: Path) -> None:
    """The short way: what does not stop a notebook, planted together."""
    budgets = BUDGETS.replace("30", "0.001", 1).replace("1500", "9", 1)
    found = failures(run(course(tmp_path / "course", FRAGILE["highest"], budgets=budgets)).checks)
    [never] = found.pop("claims")
    assert never == "'the seed, measured for hours' was never measured: run `autograde record`"
    words = {"widgets": "IndexError", "time": "s, and 0.001 are", "memory": "MiB, and 9 are allowed"}
    assert {kind: len(lines) for kind, lines in found.items()} == dict.fromkeys(words, 1), found
    assert all(words[kind] in found[kind][0] for kind in words)


def test_live_cells_that_fail_on_purpose_stay_declared_when_revealed(sound: Path) -> None:
    import nbformat

    shown = as_class(nbformat.read(sound / "notebooks" / "live" / f"{NAME}.ipynb", as_version=4))
    tagged = [cell.source for cell in shown.cells if "raises-exception" in cell.metadata.get("tags", [])]
    assert [source.split("\n")[0] for source in tagged] == ["inverse = torch.linalg.inv(torch.zeros(2, 2))"]


def test_a_notebook_that_is_not_built_and_a_wrong_budget_are_refused(sound: Path, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"does not exist\. Run `autograde build"):
        execute(sound, replace(task("in-class:quick"), lesson="08_gone"), tmp_path)
    for text_, words in [
        ("x", "cannot be read"),
        (BUDGETS.replace("full", "fool"), "`fool` in .default. means nothing"),
        (BUDGETS.replace("seconds = 30, ", "", 1), "Write { seconds = 60"),
        (BUDGETS.replace("= 30", "= -1", 1), "numbers above 0"),
        ("[default]\nquick = { seconds = 1, memory = 1 }", "lacks full, homework, nightly"),
    ]:
        (tmp_path / "budgets.toml").write_text(text_)
        with pytest.raises(CourseError, match=words.replace("{", r"\{")):
            Budgets(tmp_path)
    (tmp_path / "budgets.toml").write_text(f'{BUDGETS}\n["{NAME}"]\nquick = {{ seconds = 5 }}\n')
    assert Budgets(tmp_path).of(NAME, "quick") == Budget(5, 1500)


# Text


def test_a_stale_notebook_is_reported_and_so_is_a_broken_text(tmp_path: Path) -> None:
    root = course(tmp_path / "course")
    assert text.built(root, task("built")).ok
    path = root / "notebooks" / f"{NAME}.py"
    path.write_text(HOUR.replace(END, "last = x - total\n"))
    found = text.built(root, Task(COURSE, "built")).checks[0].failures
    assert {failure.what.split(" is ")[0] for failure in found} == {
        f"notebooks/{NAME}.ipynb",
        f"notebooks/live/{NAME}.ipynb",
    }
    assert found[0].repeat == "autograde build --check"
    path.write_text(HOUR.replace('live="total"', ""))
    [broken] = text.built(root, task("built")).checks[0].failures
    assert broken.what.startswith(f"notebooks/{NAME}.py:")
    assert broken.repeat == f"autograde build {NAME} --check"


def test_what_the_lint_finds_is_reported(tmp_path: Path) -> None:
    root = course(tmp_path / "course")
    assert text.linted(root, task("lint")).ok
    path = root / "notebooks" / f"{NAME}.py"
    path.write_text(change("# A matrix has no inverse.", "# Of all matrices, 87.5 % have an inverse.", HOUR))
    [found] = text.linted(root, task("lint")).checks[0].failures
    assert found.what.startswith(f"notebooks/{NAME}.py:")
    assert found.what.endswith("[number]")
    assert (found.source, found.repeat) == (
        "# Of all matrices, 87.5 % have an inverse.",
        f"autograde lint {NAME}",
    )


# What is run


def test_the_plan_holds_everything_and_the_choice_is_the_commands(sound: Path) -> None:
    def names(**more: Any) -> list[str]:
        return [task.label for task in plan(sound, **more)]

    day = datetime.date(2026, 11, 30)
    hour = [f"{NAME} in-class:{run}" for run in ("quick seed 0", "quick seed 1", "nightly seed 0")]
    whole = names(day=day)
    assert f"{NAME} in-class:nightly seed 1" in names(day=day + datetime.timedelta(days=1)), "the next night's"
    assert set(whole) >= {*hour, f"{NAME} live:quick", f"{NAME} homework:quick", f"{COURSE} built"}
    assert set(whole) >= {f"{NAME} {name}" for name in ("instructor", "release", "bank")}
    assert len(whole) == len(set(whole))
    assert names(only=["in-class:quick"], seeds=[3]) == [f"{NAME} in-class:quick seed 3"]
    assert names(only=["in-class", "bank"], day=day) == [*hour, f"{NAME} bank"]
    assert names(presets=["full"]) == [f"{NAME} in-class:full seed 0", f"{NAME} in-class:full seed 1"]
    for more, words in [
        ({"only": ["in-clas"]}, "nothing called in-clas to run. There are: bank"),
        ({"lessons": ["08_gone"]}, "no lesson '08_gone'"),
        ({"presets": ["fast"]}, "no preset 'fast'"),
    ]:
        with pytest.raises(CourseError, match=words):
            names(**more)


def test_a_budget_for_a_lesson_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    root = course(tmp_path / "course", budgets=f'{BUDGETS}\n["08_gone"]\nquick = {{ seconds = 5 }}\n')
    with pytest.raises(CourseError, match=r"no lesson '08_gone'. budgets.toml has a table for it"):
        plan(root)


# Processes


def _hangs_or_dies(root: Path, task: Task, keep: Path) -> Outcome:
    import os
    import time

    if task.name == "dies":
        os._exit(3)
    if task.name == "hangs":
        time.sleep(600)
    if task.name == "raises":
        raise KeyError("a bug")
    return Outcome.of(task, "cells", [])


def test_a_process_that_dies_hangs_or_has_a_bug_costs_its_own_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.0)
    monkeypatch.setattr(workers, "serve", _serve)
    patience = {"dies": 60, "hangs": 2, "raises": 60, "holds": 60}
    tasks = [Task(NAME, name, expected=seconds) for name, seconds in patience.items()]
    news: Sequence[Any] = list(workers.run(tmp_path, tasks, tmp_path, 2))
    outcomes = {each.task.name: each for each in news if isinstance(each, Outcome)}
    assert {name: outcome.ok for name, outcome in outcomes.items()} == {
        "dies": False,
        "hangs": False,
        "raises": False,
        "holds": True,
    }
    what = {name: each.checks[0].failures[0].what for name, each in outcomes.items() if not each.ok}
    assert what["dies"] == "its process died"
    assert what["hangs"].startswith("it was ended after")
    assert what["raises"] == "the nightly run itself failed: KeyError: 'a bug'"


def _serve(line: Any, root: Path, keep: Path) -> None:
    workers.work = _hangs_or_dies
    workers.serve(line, root, keep)
