"""The commands `nightly` and `full`: exit status, report, and a run that is stopped and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from lesson_text import NAME
from nightly_course import HOUR, course, ended
from rich.console import Console
from typer.testing import CliRunner

from autograde import verified, verify
from autograde.bank import Answer
from autograde.claims import Claim, read_record
from autograde.cli import app
from autograde.nightly import ledger, workers
from autograde.nightly.check import KINDS, Check, Outcome, Task
from autograde.nightly.run import STOPPED, run

RIGHT = Answer(
    NAME, "mean", True, "sum", "def mean(x):\n    if not x:\n        raise ValueError\n    return sum(x) / len(x)\n"
)


def command(root: Path, *words: str) -> Any:
    return CliRunner().invoke(app, [*words, "--root", str(root)])


def said(root: Path, title: str = "nightly") -> dict[str, Any]:
    return dict(json.loads((root / ".autograde" / "nightly" / f"{title}.json").read_text()))


@pytest.mark.sandbox
def test_a_defect_gives_exit_status_1_and_a_report_and_its_command_repeats_it(tmp_path: Path) -> None:
    root = course(tmp_path / "course", ended("1 / 0"))
    done = command(root, "nightly", "--only", "built", "--only", "in-class:quick", "--seed", "0")
    assert done.exit_code == 1
    assert "✓ course built" in done.output
    assert f"✗ {NAME} in-class:quick seed 0" in done.output
    assert "ZeroDivisionError" in done.output
    found = {check["kind"]: check for check in said(root)["checks"]}
    assert {kind for kind, check in found.items() if not check["ok"]} == {"cells", "claims"}
    repeat = found["cells"]["failures"][0]["repeat"]
    assert repeat == f"autograde nightly --lesson {NAME} --only in-class:quick --seed 0"
    assert "ZeroDivisionError" in (root / ".autograde" / "nightly" / "nightly.html").read_text()
    assert (root / ".autograde" / "nightly" / "executed" / NAME / "in-class-quick-0.ipynb").is_file()
    assert len(ledger.History(root / ".autograde" / "nightly" / ledger.FILE).rows) == 1


def test_a_choice_of_nothing_is_no_success(tmp_path: Path) -> None:
    done = command(course(tmp_path / "course"), "nightly", "--only", "in_class")
    assert done.exit_code != 0
    assert "nothing called in_class" in str(done.exception)


@pytest.mark.nightly
@pytest.mark.sandbox
def test_a_sound_course_holds_in_every_kind_of_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "bank", lambda lesson, exercise=None: [RIGHT])
    monkeypatch.setattr(verified, "bank", lambda lesson, exercise=None: [RIGHT])
    root = course(tmp_path / "course")
    first = command(root, "full", "--only", "in-class", "--seed", "0")
    assert first.exit_code == 0, first.output
    done = command(root, "nightly")
    assert done.exit_code == 0, done.output
    found = said(root)
    assert found["ok"]
    assert {check["kind"] for check in found["checks"]} == set(KINDS)
    assert {(claim["name"], claim["made_with"], claim["seed"]) for claim in found["claims"]} >= {
        ("sum of six numbers", "quick", 0),
        ("sum of six numbers", "quick", 1),
    }
    again = command(root, "nightly", "--only", "in-class:quick", "--seed", "0")
    assert again.exit_code == 0, again.output
    rows = ledger.History(root / ".autograde" / "nightly" / ledger.FILE).rows
    assert len(rows[NAME, "sum of six numbers", "quick", 0]) == 2, "a row a night"


def measured(seed: int) -> Outcome:
    """What a `full` run of hours would have found."""
    claim = Claim("dear", 2.5, 2.5, 0, "", "full", "full", "2026-11-30", seed, True, False, 3600.0, 3)
    check = Check(NAME, "in-class:full", "claims", seed)
    return Outcome(Task(NAME, "in-class:full", seed, "full", 30), (check,), (claim,))


def test_a_full_run_that_is_stopped_goes_on_and_records_its_first_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, out = course(tmp_path / "course"), tmp_path / "out"
    ran: list[int | None] = []
    stop_at: int | None = 1

    def fake(root: Path, tasks: Sequence[Task], keep: Path, count: int | None) -> Iterator[Any]:
        for task in tasks:
            if task.seed == stop_at:
                raise KeyboardInterrupt
            ran.append(task.seed)
            yield task
            yield measured(task.seed or 0)

    monkeypatch.setattr(workers, "run", fake)
    tasks = [measured(seed).task for seed in (0, 1)]
    stopped = run(root, tasks, out, Console(quiet=True), measuring=True)
    assert ran == [0]
    assert not stopped.ok
    assert [outcome.task.seed for outcome in stopped.outcomes] == [0, 1]
    assert [failure.what for check in stopped.failed for failure in check.failures] == [STOPPED]
    entry = read_record(root / "course_utils" / "recorded.json")["dear"]
    assert (entry["measured"], entry["seed"], entry["made_with"], entry["date"]) == (2.5, 0, "full", "2026-11-30")
    assert entry["python"] == ".".join(map(str, sys.version_info[:3]))
    assert entry["torch"]
    stop_at = None
    night = run(root, tasks, out, Console(quiet=True), measuring=True)
    assert ran == [0, 1], "what was done is not done again"
    assert (night.ok, night.kept, len(night.entries)) == (True, 1, 2)
    assert [len(rows) for rows in night.history.rows.values()] == [1, 1]  # type: ignore[union-attr]
    assert read_record(root / "course_utils" / "recorded.json")["dear"]["seed"] == 0
    run(root, tasks, out, Console(quiet=True), measuring=True)
    assert ran == [0, 1, 0, 1], "a run that is whole begins the next one anew"


@pytest.mark.nightly
@pytest.mark.sandbox
def test_a_full_run_that_is_killed_does_not_repeat_what_is_done(tmp_path: Path) -> None:
    waits = ended("import time\ntime.sleep(1 if SEED == 0 else 25)", HOUR)
    root = course(tmp_path / "course", waits)
    start = [sys.executable, "-c", "from autograde.cli import main; main()", "full", "--root", str(root)]
    first = subprocess.Popen(start, stdout=subprocess.DEVNULL)
    kept = root / ".autograde" / "nightly" / "kept"
    deadline = time.monotonic() + 120
    while not list(kept.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.2)
    first.kill()
    first.wait()
    done = subprocess.run(start, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"✓ {NAME} in-class:full seed 0 (done before)" in done.stdout
    assert f"✓ {NAME} in-class:full seed 1:" in done.stdout
    assert read_record(root / "course_utils" / "recorded.json")["the seed, measured for hours"]["measured"] == 2.0
    rows = ledger.History(root / ".autograde" / "nightly" / ledger.FILE).rows
    assert {key[3]: len(found) for key, found in rows.items()} == {0: 1, 1: 1}
    assert not kept.exists()
