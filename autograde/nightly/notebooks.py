"""One notebook executed as it stands, and the five checks that come of it: cells, widgets, time, memory, claims."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat

from autograde import files
from autograde.claims import ADDED, Claim, collect
from autograde.errors import CourseError
from autograde.limits import MIB, Limits
from autograde.live import as_class
from autograde.nightly.budgets import Budget, Budgets
from autograde.nightly.check import Check, Failure, Outcome, Task
from autograde.nightly.engine import KERNEL, NotebookFailed, register
from autograde.nightly.ledger import written
from autograde.nightly.seen import NAME, Fault, Run
from autograde.sandbox import bwrap
from autograde.sandbox.provisioner import SandboxOptions
from course_utils import digits

#: A notebook is stopped at this many times its seconds, but not before `LEAST` (a machine may be busy), and at this
#: many MiB above its memory; up to there one sees by how much it is over.
STOP, LEAST, ABOVE = 6, 120.0, 1024
#: Where the sandbox has the whole MNIST, if this machine has it.
DATA = Path(bwrap.HOME, ".course-data")


def execute(root: Path, task: Task, keep: Path) -> Outcome:
    """Run the notebook of a task; the executed one is kept in the folder `keep`.

    Raises:
        CourseError: there is no such notebook, or its sandbox does not start.
    """
    family = task.name.partition(":")[0]
    budget = Budgets(root).of(task.lesson, "homework" if family == "homework" else task.preset)
    began = time.monotonic()
    with files.temporary_folder("autograde-nightly-") as folder:
        path = source(root, task, folder)
        run, executed = _run(root, task, path, budget, keep)
    failures = {
        "cells": [_failure(task, fault) for fault in run.faults if not fault.claim],
        "widgets": [_failure(task, fault) for fault in run.widgets],
        "time": _over("seconds", run.seconds, budget.seconds, task),
        "memory": _over("MiB", run.memory, budget.memory, task),
    }
    if failures["cells"] and run.not_run:
        last = failures["cells"][-1]
        failures["cells"][-1] = replace(last, what=f"{last.what}; {_after(run.not_run)}")
    claims, failures["claims"] = _claims(executed, task)
    said = {failure.cell for failure in failures["claims"]}
    failures["claims"] += [_failure(task, each) for each in run.faults if each.claim and each.cell not in said]
    notes = {
        "cells": f"{len(run.cells)} code cells ran",
        "widgets": f"{run.pictures} still pictures",
        "time": f"{run.seconds:.1f} s of {budget.seconds:g} s",
        "memory": f"{run.memory:.0f} MiB of {budget.memory:g} MiB",
        "claims": f"{len(claims)} claims, {sum(not claim.recorded for claim in claims)} measured now",
    }
    seconds = {"cells": run.seconds}
    checks = [
        Check(task.lesson, task.name, kind, task.seed, seconds.get(kind, 0.0), notes[kind], tuple(failures[kind]))
        for kind in notes
    ]
    counted = () if family == "live" else tuple(claims)  # a class reveals what the complete notebook measures
    return Outcome(task, tuple(checks), counted, seconds=time.monotonic() - began)


def source(root: Path, task: Task, folder: Path) -> Path:
    """The notebook that a task runs, as a file; a live one is written to `folder` with all its cells revealed."""
    family, lesson = task.name.partition(":")[0], task.lesson
    places = {
        "in-class": f"notebooks/{lesson}.ipynb",
        "live": f"notebooks/live/{lesson}.ipynb",
        "homework": f"source/{lesson}/{lesson}.ipynb",
    }
    path = root / places[family]
    if not path.is_file():
        raise CourseError(f"{path} does not exist. Run `autograde build {lesson}`.")
    if family != "live":
        return path
    revealed = folder / f"{lesson}.ipynb"
    nbformat.write(as_class(nbformat.read(path, as_version=4)), revealed)
    return revealed


def parameters(notebook: Any) -> set[str]:
    """Which of `PRESET` and `SEED` papermill can set in a notebook."""
    tagged = [cell.source for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    return {name for name in ("PRESET", "SEED") if any(f"{name} =" in source for source in tagged)}


def _run(root: Path, task: Task, path: Path, budget: Budget, keep: Path) -> tuple[Run, Any]:
    import papermill

    register()
    wanted = {"PRESET": task.preset, "SEED": task.seed}
    known = parameters(nbformat.read(path, as_version=4))
    target = keep / task.lesson / f"{task.name.replace(':', '-')}{'' if task.seed is None else f'-{task.seed}'}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    patience = max(LEAST, STOP * budget.seconds)
    try:
        papermill.execute_notebook(
            str(path),
            str(target),
            {name: value for name, value in wanted.items() if name in known and value is not None},
            engine_name=NAME,
            kernel_name=KERNEL,
            progress_bar=False,
            sandbox=SandboxOptions(_limits(budget, patience), files=tuple(_files(root, task))),
            patience=patience,
            environment={digits.FOLDER: str(DATA)} if mnist_folder().is_dir() else {},
        )
    except NotebookFailed:
        pass  # what failed stands in the executed notebook
    except RuntimeError as error:
        raise CourseError(f"{path.name}: its kernel does not start: {error}. Run `autograde doctor`.") from error
    executed = nbformat.read(target, as_version=4)
    executed.cells = [cell for cell in executed.cells if not ADDED & set(cell.metadata.get("tags", []))]
    return Run.of(executed), executed


def _limits(budget: Budget, patience: float) -> Limits:
    """The sandbox's limits lie above the budget, so that what is over it can be measured."""
    memory = int(budget.memory + ABOVE) * MIB
    return Limits(cell=patience, notebook=patience, memory=memory, scratch=1024 * MIB)


def _files(root: Path, task: Task) -> Iterable[bwrap.Mount]:
    """What the notebook finds in its sandbox: the course's own `course_utils`, the files of a homework, whole MNIST."""
    own = root.resolve() / "course_utils"
    if (own / "__init__.py").is_file():
        yield bwrap.Mount(own, Path(bwrap.LIBRARY, own.name))
    if task.name.startswith("homework"):
        folder = root.resolve() / "source" / task.lesson
        for path in sorted(folder.iterdir()):
            if path.name != f"{task.lesson}.ipynb":
                yield bwrap.Mount(path, Path(bwrap.HOME, path.name))
    if (data := mnist_folder()).is_dir():
        yield bwrap.Mount(data, DATA)


def mnist_folder() -> Path:
    """Where `course_utils.digits` keeps the whole MNIST on this machine."""
    return Path(os.environ.get(digits.FOLDER) or Path.home() / ".cache" / "gates-to-transformers").resolve()


def _claims(executed: Any, task: Task) -> tuple[Sequence[Claim], list[Failure]]:
    try:
        claims = collect(executed)
    except CourseError as error:
        return (), [Failure(str(error), task.repeat)]
    failures = []
    for claim in claims:
        if claim.ok:
            continue
        said = f"measured {written(claim.measured)}, expected {written(claim.expect)} ± {written(claim.tol)}"
        never = f"never measured: run `autograde {'full' if claim.preset == 'full' else 'record'}`"
        what = f"the claim {claim.name!r} does not hold: {said}" if claim.ok is False else f"{claim.name!r} was {never}"
        failures.append(Failure(what, task.repeat, claim.cell, executed.cells[claim.cell - 1].source))
    return claims, failures


def _failure(task: Task, fault: Fault) -> Failure:
    return Failure(fault.what, task.repeat, fault.cell, fault.source, fault.traceback)


def _over(unit: str, used: float, allowed: float, task: Task) -> list[Failure]:
    if used <= 0:
        return [Failure(f"the {unit} that it took could not be measured", task.repeat)]
    if used <= allowed:
        return []
    advice = "make it cheaper, or raise the budget in budgets.toml"
    return [Failure(f"it took {used:.1f} {unit}, and {allowed:g} are allowed: {advice}", task.repeat)]


def _after(cells: Sequence[int]) -> str:
    count = len(cells)
    return f"{count} code cell{'' if count == 1 else 's'} after it did not run"
