"""The corpus of hostile code through the real path: no attack gains, reads, escapes or outlives; no twin pays."""

from __future__ import annotations

import contextlib
import copy
import os
import re
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import conftest
import nbformat
import pytest
from conftest import Grader, points

from tests import attacks
from tests.attacks import EXERCISES, STOCK, Attack, load_attacks, plant

pytestmark = pytest.mark.sandbox

FULL = {name: conftest.FULL[name] for name in EXERCISES}
#: Shorter than a lesson's, so that what hangs does not hold up the run; honest twins have the lesson's own.
SHORT = {"cell": 20.0, "call": 5.0, "test": 12.0, "notebook": 120.0}
ALL = load_attacks()
#: Escapes that replace no answer and must spare all: planted together, they share one kernel.
TOGETHER = [attack for attack in ALL if attack.group == "escape" and attack.exercise is None]
ALONE = [attack for attack in ALL if attack not in TOGETHER]
#: Of the two largest groups, one member of each kind on every change; the others every night.
ON_EVERY_CHANGE = {
    "break": [
        "daemon",
        "endless_cell",
        "endless_loop",
        "endless_swallow",
        "exit_call",
        "exit_process",
        "fork_bomb",
        "input_call",
        "long_line",
        "memory_tensor",
        "not_implemented",
        "segmentation_fault",
        "syntax_error",
        "system_exit",
        "threads",
        "warnings",
    ],
    "lie": ["deep_frame", "endless_stream", "forged_flag", "forged_frames", "garbage_to_files", "probe_rebound"],
}
assert all(
    (attacks.FOLDER / group / f"{name}.py").is_file() for group in ON_EVERY_CHANGE for name in ON_EVERY_CHANGE[group]
)


def scheduled(attack: Attack) -> Any:
    """The attack as a parameter of a test: marked nightly unless it runs on every change."""
    often = attack.group not in ON_EVERY_CHANGE or attack.name in ON_EVERY_CHANGE[attack.group]
    return pytest.param(attack, id=attack.key, marks=() if often else pytest.mark.nightly)


def packed(twins: list[Attack]) -> list[tuple[Attack, ...]]:
    """Twins in groups that fit into one notebook: no two of a group answer the same exercise."""
    groups: list[list[Attack]] = []
    for attack in twins:
        places = {cell.place for cell in attack.twin if cell.place in FULL}
        home = next((group for group in groups if not places & _answered(group) and len(group) < 6), None)
        if home is None:
            groups.append(home := [])
        home.append(attack)
    return [tuple(group) for group in groups]


def _answered(group: list[Attack]) -> set[str]:
    return {cell.place for attack in group for cell in attack.twin if cell.place in FULL}


# On every change those of the forgeries and readings that work elsewhere, every night all others.
OFTEN = packed([attack for attack in ALL if attack.twin and attack.key in STOCK])
NIGHTLY = packed([attack for attack in ALL if attack.twin and attack.key not in STOCK])
TWINS = [*OFTEN, *(pytest.param(group, marks=pytest.mark.nightly) for group in NIGHTLY)]


@pytest.fixture(scope="module")
def baited(course: Path, lesson: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A grader with things worth stealing around it."""
    from autograde.run.pool import Pool

    root = tmp_path_factory.mktemp("baited") / "course"
    shutil.copytree(course, root)
    other = root / "submitted" / "victim" / "03_qkv"
    other.mkdir(parents=True)
    nbformat.write(lesson.notebook, other / "03_qkv.ipynb")
    (root / "gradebook.db").write_bytes(b"SQLite format 3\0")
    before = os.environ.get(attacks.BAIT_VARIABLE)
    os.environ[attacks.BAIT_VARIABLE] = attacks.BAIT
    with contextlib.ExitStack() as stack:
        for family, address in (
            (socket.AF_INET, ("127.0.0.1", attacks.BAIT_PORT)),
            (socket.AF_UNIX, attacks.BAIT_SOCKET),
        ):
            listener = stack.enter_context(socket.socket(family))
            with contextlib.suppress(OSError):  # another worker of this test run has laid the same bait
                listener.bind(address)
                listener.listen(8)
        yield Grader(stack.enter_context(Pool(1, root=root)), root, lesson)
    os.environ.pop(attacks.BAIT_VARIABLE)
    if before is not None:
        os.environ[attacks.BAIT_VARIABLE] = before


def lean(grader: Grader) -> Any:
    """The solved notebook without the lesson's own figures: importing matplotlib is half of a run's time."""
    notebook = grader.solved()
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type != "code" or "nbgrader" in cell.metadata]
    return notebook


def escaped(result: Any) -> list[str]:
    """Lines with which an attack says that it worked."""
    lines: list[str] = []
    for cell in result.notebook.cells:
        for output in cell.get("outputs", []):
            texts = [output.get("text", ""), str(output.get("data", {}).get("text/plain", ""))]
            lines += [line for text in texts for line in text.splitlines() if re.match(r"\W*ESCAPED", line)]
    return lines


def leftovers() -> list[str]:
    """Files and processes that must not be there."""
    places = [Path("/"), Path("/tmp"), Path.home(), *Path("/home").glob("*")]
    found = [str(path) for place in places for path in place.glob(f"{attacks.ESCAPED}*")]
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if attacks.SURVIVOR.encode() in path.read_bytes():
                found.append(path.read_bytes().decode(errors="replace"))
    return found


def nothing_got_out(result: Any) -> None:
    assert escaped(result) == []
    deadline = time.monotonic() + 3
    while leftovers() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert leftovers() == []


@pytest.mark.parametrize("attack", [scheduled(attack) for attack in ALONE])
def test_attack(attack: Attack, baited: Grader) -> None:
    from autograde.feedback import page
    from autograde.gradebook.results import graded

    result = baited.grade(plant(lean(baited), *attack.cells), only=EXERCISES, **SHORT)
    earned = points(result)
    nothing_got_out(result)
    assert not [verdict for verdict in result.verdicts if verdict.status == "broken test"]
    if attack.expect == "zero":
        assert earned[str(attack.exercise)] == 0, result.verdicts
    if attack.expect == "keeps":
        assert attack.exercise is None or earned[attack.exercise] == FULL[attack.exercise], result.verdicts
    for name in attack.spares:
        assert earned[name] == FULL[name], next(verdict for verdict in result.verdicts if verdict.exercise == name)
    if attack.says:
        said = [verdict.message for verdict in result.verdicts if attack.exercise in (None, verdict.exercise)]
        said += [note.message for note in result.notes]
        assert any(attack.says.lower() in text.lower() for text in said), said
    if attack.hides:
        shown = copy.deepcopy(result.notebook)
        for cell in shown.cells:
            cell.source = ""  # the page shows students their own code, and an attack's code says what it prints
        assert attack.hides not in page(graded(result, baited.lesson, sandboxed=True), notebook=shown)


def test_escapes_together(baited: Grader) -> None:
    """Every wall tried from one notebook: nothing gives way, and the answers beside it keep their points."""
    cells = [cell for attack in TOGETHER for cell in attack.cells]
    result = baited.grade(plant(lean(baited), *cells), only=EXERCISES)
    nothing_got_out(result)
    assert points(result) == FULL


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: "+".join(attack.name for attack in twins))
def test_honest_twins_keep_all_points(twins: tuple[Attack, ...], baited: Grader) -> None:
    cells = [cell for attack in twins for cell in attack.twin]
    result = baited.grade(plant(lean(baited), *cells), only=EXERCISES)
    assert points(result) == FULL, result.verdicts
    nothing_got_out(result)
