"""One night: runs the tasks, keeps the ledger, records what is dear, and shows on the terminal how far it is."""

from __future__ import annotations

import datetime
import functools
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from autograde.claims import record
from autograde.errors import CourseError
from autograde.nightly import homework, ledger, workers
from autograde.nightly.check import KINDS, Check, Failure, Outcome, Task
from autograde.nightly.kept import Kept
from autograde.verify import Tally

OUT = Path(".autograde") / "nightly"
GRADED = ("instructor", "release")
STOPPED = "It had not ended when the run was stopped."


@dataclass
class Night:
    """Everything that a run found. `began` is local time, ISO 8601; `seconds` wall time."""

    title: str
    began: str
    commit: str
    command: str
    outcomes: list[Outcome] = field(default_factory=list)
    history: ledger.History | None = None
    rows: int = 0
    recorded: list[str] = field(default_factory=list)
    kept: int = 0
    seconds: float = 0.0

    @property
    def checks(self) -> list[Check]:
        """By lesson, kind and name."""
        found = [check for outcome in self.outcomes for check in outcome.checks]
        return sorted(found, key=lambda check: (check.lesson, KINDS.index(check.kind), check.name, check.seed or 0))

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if not check.ok]

    @property
    def ok(self) -> bool:
        return bool(self.checks) and not self.failed

    @property
    def scores(self) -> list[Tally]:
        return [score for outcome in self.outcomes for score in outcome.scores]

    @property
    def entries(self) -> list[ledger.Entry]:
        return ledger.entries(self.outcomes)

    @property
    def versions(self) -> str:
        return f"Python {platform.python_version()}, torch {torch.__version__}"


def run(
    root: Path,
    tasks: Sequence[Task],
    out: Path,
    console: Console,
    *,
    title: str = "nightly",
    command: str = "autograde nightly",
    count: int | None = None,
    anew: bool = False,
    measuring: bool = False,
) -> Night:
    """Run every task, the notebooks `count` at a time.

    `measuring` is for runs of hours: what was done before and has not changed is taken from `out`, unless `anew`, and
    the claims of each notebook's first seed go to `course_utils/recorded.json` as soon as it has ended.
    """
    night = Night(title, datetime.datetime.now().astimezone().isoformat(timespec="seconds"), _commit(root), command)
    start = time.monotonic()
    kept = Kept(root, out)
    if anew:
        kept.clear()
    before = [found for task in tasks if measuring and (found := kept.get(task)) is not None]
    night.kept = len(before)
    done = {outcome.task for outcome in before}
    todo = [task for task in tasks if task not in done]
    # one entry of the record is one measurement: that of a notebook's first seed
    firsts = {(task.lesson, task.name): task for task in reversed(tasks)}.values()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        show = _Show(progress, len(tasks), console)
        for outcome in before:
            show.ended(outcome, " (done before)")
            night.outcomes.append(outcome)
        try:
            for outcome in _outcomes(root, todo, out, count, anew, show):
                if measuring and outcome.task in firsts:
                    outcome = _recorded(root, outcome, night)
                # at once: whoever is stopped loses no measurement
                night.rows += ledger.append(out / ledger.FILE, ledger.entries([outcome]), night.began, night.commit)
                if measuring:
                    kept.put(outcome)
                show.ended(outcome)
                night.outcomes.append(outcome)
        except KeyboardInterrupt:  # what has ended is worth its report, and what has not is no success
            ended = {outcome.task for outcome in night.outcomes}
            night.outcomes += [workers.broken(task, STOPPED) for task in tasks if task not in ended]
    if measuring and night.ok:
        kept.clear()
    night.history = ledger.History(out / ledger.FILE)
    night.seconds = time.monotonic() - start
    return night


def _outcomes(
    root: Path, tasks: Sequence[Task], out: Path, count: int | None, anew: bool, show: _Show
) -> Iterator[Outcome]:
    """First what runs in processes of ours, then what the job server runs; each uses all the cores."""
    graded = [task for task in tasks if task.name in GRADED]
    banks = [task for task in tasks if task.name == "bank"]
    others = [task for task in tasks if task not in graded and task not in banks]
    for news in workers.run(root, others, out / "executed", count) if others else ():
        if isinstance(news, Task):
            show.began(news)
        elif isinstance(news, Outcome):
            yield news
        else:
            show.tick()
    if graded:
        show.doing("grading our own versions and the releases")
        yield from _safely(graded, homework.grade(root, graded, count))
    for task in banks:
        yield from _safely([task], homework.verify(root, task, functools.partial(show.rows, task), count, anew))


def _safely(tasks: Sequence[Task], outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    """Outcomes of the job server; if it fails, that is what becomes of each task that it still owes one."""
    owed = {task.label: task for task in tasks}
    try:
        for outcome in outcomes:
            owed.pop(outcome.task.label)
            yield outcome
    except CourseError as error:
        for task in owed.values():
            yield workers.broken(task, str(error))


def _recorded(root: Path, outcome: Outcome, night: Night) -> Outcome:
    """Keep the dear claims of a notebook; if the record refuses them, that is a failure of its claims."""
    task = outcome.task
    family = task.name.partition(":")[0]
    notebook = f"source/{task.lesson}/{task.lesson}.ipynb" if family == "homework" else f"notebooks/{task.lesson}.ipynb"
    try:
        night.recorded += [claim.name for claim in record(root, notebook, outcome.claims)]
    except CourseError as error:
        check = Check(task.lesson, task.name, "claims", task.seed, failures=(Failure(str(error), task.repeat),))
        return Outcome(task, (*outcome.checks, check), outcome.claims, seconds=outcome.seconds)
    return outcome


class _Show:
    """The progress bar, and a line for each task that has ended."""

    def __init__(self, progress: Progress, total: int, console: Console) -> None:
        self._progress, self._console = progress, console
        self._bar = progress.add_task("starting", total=total)
        self._running: list[str] = []

    def began(self, task: Task) -> None:
        self._running.append(task.label)
        self.doing(", ".join(self._running))

    def doing(self, what: str) -> None:
        self._progress.update(self._bar, description=what, refresh=True)

    def rows(self, task: Task, done: int, of: int) -> None:
        self.doing(f"{task.label}: {done} of {of} answers")

    def tick(self) -> None:
        self._progress.refresh()

    def ended(self, outcome: Outcome, more: str = "") -> None:
        label = outcome.task.label
        self._running = [each for each in self._running if each != label]
        mark, style = ("✓", "green") if outcome.ok else ("✗", "red")
        notes = " · ".join(check.note for check in outcome.checks if check.note)
        self._console.print(f"{mark} {label}{more}: {notes}", style=style, markup=False, highlight=False)
        for failure in [failure for check in outcome.checks for failure in check.failures]:
            where = "" if failure.cell is None else f"cell {failure.cell}: "
            self._console.print(f"    {where}{failure.what}", markup=False, highlight=False)
        self._progress.update(self._bar, advance=1, description=", ".join(self._running) or "…", refresh=True)


def _commit(root: Path) -> str:
    """The commit of the course folder, with `+` if files differ from it; empty if it is no clone."""

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout

    try:
        return git("rev-parse", "--short", "HEAD").strip() + ("+" if git("status", "--porcelain").strip() else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
