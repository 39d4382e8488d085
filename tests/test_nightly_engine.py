"""The papermill engine: it says success only of a notebook in which every code cell ran and did what it says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest

from autograde.nightly import engine
from autograde.nightly.engine import KERNEL, NotebookFailed
from autograde.nightly.seen import NAME, Run
from autograde.sandbox.provisioner import SandboxOptions

pytestmark = pytest.mark.sandbox

#: A cell is its code, or its code and tags.
Given = str | tuple[str, str]


def written(folder: Path, cells: Sequence[Given]) -> Path:
    metadata = {"kernelspec": {"name": "python3", "language": "python", "display_name": ""}}
    notebook = nbformat.v4.new_notebook(metadata=metadata)
    for cell in cells:
        source, *tags = (cell,) if isinstance(cell, str) else cell
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": tags}))
    path = folder / "given.ipynb"
    nbformat.write(notebook, path)
    return path


def execute(folder: Path, *cells: Given, kernel: str = KERNEL, **more: Any) -> tuple[str, Run, Any]:
    """What papermill said ("" is success), what the engine saw, and the notebook that came out."""
    engine.register()
    target = folder / "executed.ipynb"
    said = ""
    try:
        papermill.execute_notebook(
            written(folder, cells), target, engine_name=NAME, kernel_name=kernel, progress_bar=False, **more
        )
    except NotebookFailed as error:
        said = str(error)
    executed = nbformat.read(target, as_version=4)
    return said, Run.of(executed), executed


def test_a_sound_notebook_is_a_success_with_times_and_memory(tmp_path: Path) -> None:
    waits = "import time\ntime.sleep(0.5)\nlast = time.process_time() + 1\nwhile time.process_time() < last:\n    pass"
    said, run, executed = execute(tmp_path, "x = bytearray(80_000_000)", ("1 / 0", "raises-exception"), waits, "x[0]")
    assert said == ""
    assert (run.faults, run.widgets, run.not_run) == ([], [], [])
    assert list(run.cells) == [1, 2, 3, 4]
    assert 0.9 <= run.cells[3] < 1.4
    assert run.cells[1] < 0.5
    assert run.slept == pytest.approx(0.5, abs=0.05)
    assert run.seconds == sum(run.cells.values()) + run.slept
    assert 100 < run.memory < 400
    assert "ZeroDivisionError" in executed.cells[1].outputs[0].text
    assert executed.cells[3].outputs[0].data["text/plain"] == "0"
    assert len(executed.cells) == 4, "nothing that the engine ran stands in the notebook"


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("import sys\nsys.exit(0)", "SystemExit: 0"),
        ("exit()", "SystemExit"),
        ("!exit 3", "returned non-zero exit status 3"),
        ("lines = !ls /nowhere", "returned non-zero exit status 2"),
        ("import os\nos._exit(0)", "the kernel ended in this cell"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (("x = 2", "skip-execution"), "this code cell did not run"),
        ("import io, sys\nsys.stdout = io.StringIO()", "after this cell nothing that is printed arrives"),
        (("x = 2", "raises-exception"), "declared to fail (tag raises-exception), and it did not"),
    ],
)
def test_what_papermill_would_call_done_is_not(tmp_path: Path, cell: Given, words: str) -> None:
    said, run, _ = execute(tmp_path, "x = 1", cell, "y = x")
    assert said.startswith("cell 2: ")
    assert words in said
    assert [fault.cell for fault in run.faults] == [2]
    assert run.faults[0].source in ("", cell, cell[0])
    assert run.not_run == [3]


def test_papermills_own_engine_calls_them_done(tmp_path: Path) -> None:
    """If this fails, papermill has learned it, and the engine may shrink."""
    path = written(tmp_path, ["!exit 3", "import sys\nsys.exit(0)", "never = 1 / 0"])
    papermill.execute_notebook(path, tmp_path / "out.ipynb", kernel_name=KERNEL, progress_bar=False)


def test_a_claim_that_does_not_hold_is_a_failure_and_ends_nothing(tmp_path: Path) -> None:
    claims = 'from course_utils.claims import claim\nclaim("wrong", 3, expect=2, tol=0)'
    said, run, _ = execute(tmp_path, claims, 'claim("also", 1, expect=2, tol=0)', "1 / 0", "x = 2")
    assert said.startswith("cell 1: ClaimFailed: This claim does not hold: wrong")
    assert [(fault.cell, fault.claim) for fault in run.faults] == [(1, True), (2, True), (3, False)]
    assert run.not_run == [4]


def test_a_notebook_that_never_ends_is_stopped(tmp_path: Path) -> None:
    said, run, _ = execute(tmp_path, "x = 1", "while True:\n    pass", patience=3)
    assert "stopped in this cell: it had run for 3 s" in said
    assert run.faults[0].cell == 2


def test_cells_that_papermill_adds_do_not_count_and_parameters_arrive(tmp_path: Path) -> None:
    said, run, _ = execute(tmp_path, ("SEED = 0", "parameters"), "assert SEED == 0", parameters={"SEED": 7})
    assert said.startswith("cell 2: AssertionError")
    assert list(run.cells) == [1, 2]


def test_an_isolated_kernel_has_no_network_and_another_runs_as_it_is(tmp_path: Path) -> None:
    online = "import os\nassert len(os.listdir('/sys/class/net')) > 1"
    assert "cell 1" in execute(tmp_path, online, sandbox=SandboxOptions())[0]
    assert execute(tmp_path, "import os\nassert os.getpid() > 9", kernel="python3")[0] == ""


@pytest.mark.parametrize("first", ["papermill.engines", "autograde.nightly.engine"])
def test_papermill_finds_the_engine_whoever_is_imported_first(first: str) -> None:
    """Papermill loads its entry points when it is imported, also when our engine imports it."""
    look = f"import {first}; from papermill.engines import papermill_engines as e; print(e.get_engine({NAME!r}))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
    assert done.stdout == "<class 'autograde.nightly.entry.Engine'>\n", done.stderr


@pytest.mark.nightly
def test_the_command_papermill_fails_too(tmp_path: Path) -> None:
    """Through the entry point, as somebody who has papermill alone uses it."""
    path = written(tmp_path, ["import sys\nsys.exit(0)"])
    words = ["--engine", NAME, "--kernel", KERNEL, str(path), str(tmp_path / "out.ipynb")]
    command = [sys.executable, "-m", "papermill", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cell 1: SystemExit: 0" in done.stderr
