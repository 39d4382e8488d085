"""The benchmarks measure what they say; no goal is tested here, a busy machine would decide."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPO

from benchmarks.__main__ import OWN, goals
from benchmarks.measure import Took, run
from benchmarks.results import Class, page

#: Works for half a second in a grandchild whose parent does not wait for it, as a sandbox's processes do.
WORK = "import time; end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
ORPHAN = f"""
import signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", {WORK!r}], stdout=subprocess.PIPE)
child.stdout.read()
"""


def test_processor_time_of_processes_that_nobody_waits_for_counts() -> None:
    assert run([sys.executable, "-c", ORPHAN], Path()).cpu >= 0.5


def test_memory_is_that_of_the_command_and_not_of_whoever_starts_it() -> None:
    ours = b"x" * (300 << 20)  # all of it touched
    small = run([sys.executable, "-c", "import time; time.sleep(0.5)"], Path()).memory
    big = run([sys.executable, "-c", "import time; held = b'x' * (200 << 20); time.sleep(0.5)"], Path()).memory
    assert len(ours) == 300 << 20
    assert 1 < small < 100
    assert 190 < big - small < 220


def test_own_cells_are_all_but_the_one_that_begins_to_count() -> None:
    works = "end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    cells = [f"import time\n{works}", OWN[0], works, "1 + 1", OWN[1]]
    script = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in {cells}: shell.run_cell(cell)
"""
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    [seconds] = re.findall(r"own cells: ([\d.e-]+) s", said)
    assert 0.3 <= float(seconds) < 0.55  # not the seconds that were over when it began


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="this is why"):
        run([sys.executable, "-c", "raise SystemExit('this is why')"], Path())


def graded(name: str, *numbers: tuple[int, float, float], own: float = 0.0) -> list[Class]:
    """Classes of some students, that took so many seconds of wall time and so many of the processor."""
    return [Class(name, students, Took(wall, cpu, 400.0), own) for students, wall, cpu in numbers]


def test_goals_are_judged_by_what_one_more_submission_takes() -> None:
    found = goals(
        {
            "light": graded("light, ours", (5, 11.0, 12.0), (50, 20.0, 30.0), (500, 110.0, 210.0), own=0.1),
            "real": graded("real, ours", (2, 16.0, 20.0), (12, 46.0, 80.0), own=5.6),
            "light stock": graded("light, stock nbgrader", (1, 9.0, 9.0), (5, 25.0, 25.0)),
            "real stock": graded("real, stock nbgrader", (1, 15.0, 15.0), (3, 39.0, 39.0), own=5.7),
        }
    )
    values = {goal.name: round(goal.value, 6) for goal in found}
    assert values["light class, throughput of stock nbgrader"] == 20.0  # 4 s each against 0.2 s each
    assert values["real class, throughput of stock nbgrader"] == 4.0
    assert values["light class, CPU time above own cells"] == 0.3
    assert values["real class, CPU time above own and test cells"] == 0.3  # 6 s each, 5.7 s in stock nbgrader's cells
    assert values["CPU time of a submission, 500 students against 50"] == 0.0
    met = {goal.name: goal.met for goal in found}
    assert met["light class, throughput of stock nbgrader"]
    assert met["light class, CPU time above own cells"]
    text = page([], found, "2026-01-02")
    assert "| light class, throughput of stock nbgrader | 20 times | at least 15 | yes |" in text


def test_a_goal_that_is_missed_is_called_so() -> None:
    slow = {
        name: graded(name, (1, 10.0, 10.0), (2, 20.0, 20.0), (3, 30.0, 30.0), own=1.0) for name in ("light", "real")
    }
    stock = {
        f"{name} stock": graded(name, (1, 10.0, 10.0), (2, 20.0, 20.0), own=own)
        for name, own in (("light", 1.0), ("real", 2.0))
    }
    found = goals({**slow, **stock})
    assert "| light class, throughput of stock nbgrader | 1 times | at least 15 | **no** |" in page([], found, "today")


@pytest.mark.nightly
@pytest.mark.sandbox
@pytest.mark.stock
def test_small_classes_are_graded_and_measured(tmp_path: Path) -> None:
    sizes = [word for name, number in (("light", 1), ("light", 2), ("light", 3), ("real", 1), ("real", 2))
             for word in (f"--{name}", str(number))]  # fmt: skip
    command = [sys.executable, "-m", "benchmarks", *sizes, "--out", str(tmp_path / "results.md")]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "results.md").read_text()
    assert "| light, ours | 3 |" in text
    assert "| real, stock nbgrader | 3 |" in text
