"""A few processes that run tasks side by side; one that dies or hangs costs its own task."""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from autograde.errors import CourseError
from autograde.nightly.check import Failure, Outcome, Task
from autograde.startup import skip_slow_imports

#: Seconds above eight times what a task was expected to take, after which its process is ended from outside.
GRACE = 300.0


def work(root: Path, task: Task, keep: Path) -> Outcome:
    """Run one task in this process."""
    # heavy, and only a worker needs them
    from autograde.nightly import notebooks, text

    if task.name == "built":
        return text.built(root, task)
    if task.name == "lint":
        return text.linted(root, task)
    return notebooks.execute(root, task, keep)


def kind_of(task: Task) -> str:
    """The kind of check under which it is said that a task could not be run."""
    return task.name if task.name in ("built", "lint", "instructor", "release", "bank") else "cells"


def broken(task: Task, what: str, more: str = "", seconds: float = 0.0) -> Outcome:
    """A task of which nothing else can be said."""
    return Outcome.of(task, kind_of(task), [Failure(what, task.repeat, traceback=more)], seconds)


def run(root: Path, tasks: Sequence[Task], keep: Path, count: int | None = None) -> Iterator[Task | Outcome | None]:
    """Run tasks in `count` processes (one for each core), the longest first.

    Yields each task when it begins, an outcome for each when it has ended, and None twice a second, so that somebody
    can show that time passes.
    """
    waiting = sorted(tasks, key=lambda task: -task.expected)
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            idle = sum(worker.task is None for worker in workers)
            while idle < len(waiting) and len(workers) < (count or len(os.sched_getaffinity(0))):
                workers.append(_Worker(root, keep))
                idle += 1
            for worker in [each for each in workers if each.task is None]:
                if not waiting:
                    worker.end()
                    workers.remove(worker)
                    continue
                yield worker.begin(waiting.pop(0))
            wait([worker.line for worker in workers], timeout=0.5)
            yield None
            for worker in list(workers):
                outcome = worker.outcome()
                if outcome is not None:
                    yield outcome
                if not worker.alive:
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.kill()


class _Worker:
    """One process, and the task that it has."""

    def __init__(self, root: Path, keep: Path) -> None:
        # a fresh interpreter: this one may hold threads, which do not survive a fork
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, root, keep), daemon=True)
        self._process.start()
        theirs.close()
        self.task: Task | None = None
        self.alive = True

    def begin(self, task: Task) -> Task:
        self.task, self._began = task, time.monotonic()
        self.line.send(task)
        return task

    def outcome(self) -> Outcome | None:
        """The outcome of its task, if it has ended, in whatever way."""
        if self.task is None:
            return None
        passed = time.monotonic() - self._began
        found: Outcome | None = None
        try:
            if self.line.poll():
                found = self.line.recv()
            elif passed > 8 * self.task.expected + GRACE:
                self.kill()
                found = broken(self.task, f"it was ended after {passed:.0f} s", seconds=passed)
        except EOFError:
            self.kill()
            found = broken(self.task, "its process died", f"exit status {self._process.exitcode}", passed)
        if found is not None:
            self.task = None
        return found

    def end(self) -> None:
        self.line.send(None)
        self._process.join(10)
        self.kill()

    def kill(self) -> None:
        self.alive = False
        self._process.kill()
        self._process.join()
        self.line.close()


def serve(line: Connection, root: Path, keep: Path) -> None:
    """A worker's life: tasks in, outcomes out."""
    skip_slow_imports()
    while (task := _next(line)) is not None:
        began = time.monotonic()
        try:
            outcome = work(root, task, keep)
        except CourseError as error:
            outcome = broken(task, str(error), seconds=time.monotonic() - began)
        except Exception as error:
            what = f"the nightly run itself failed: {type(error).__name__}: {error}"
            outcome = broken(task, what, traceback.format_exc(), time.monotonic() - began)
        line.send(outcome)


def _next(line: Connection) -> Any:
    try:
        return line.recv()
    except (EOFError, KeyboardInterrupt):
        return None
