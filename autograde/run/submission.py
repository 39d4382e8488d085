"""One submission graded: a run through the two rooms, second runs so that one mistake costs once, mistakes named."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograde import leftovers
from autograde.errors import CourseError
from autograde.files import temporary_folder
from autograde.judge.process import Judge
from autograde.lesson import Lesson
from autograde.repair import Note, Repaired
from autograde.run.again import better, next_run, with_ours
from autograde.run.once import Once
from autograde.run.opened import opened, to_open
from autograde.run.settings import Settings
from autograde.verdict import Verdict

__all__ = ["Outcome", "Settings", "run"]

#: Characters of a student's cell that may decide between mistakes that behave alike.
SOURCE_LIMIT = 20_000


@dataclass(frozen=True)
class Outcome:
    """What a run makes: a verdict for every test cell, the executed notebook, notes on what happened.

    `lost` says for the instructor how points were lost in the first run, where the settings ask for it.
    """

    verdicts: tuple[Verdict, ...]
    notebook: Any
    notes: tuple[Note, ...]
    lost: tuple[dict[str, Any], ...] = ()


def run(lesson: Lesson, repaired: Repaired, settings: Settings) -> Outcome:
    """Run a repaired submission. Without a judges' server call it in a process without threads or a running
    event loop: one is forked.

    Raises:
        CourseError: the student's kernel does not start here, or our own setup cell fails in it.
    """
    with temporary_folder(leftovers.prefix("judge")) as folder:
        path = folder / "judge.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        os.chmod(path, 0o666)
        listener.listen(4)
        judge = Judge(lesson, settings.limits, settings.seeds, listener, settings.judges)
        try:
            return asyncio.run(_Submission(lesson, repaired, settings, judge, path).graded())
        finally:
            judge.close()


class _Submission:
    def __init__(self, lesson: Lesson, repaired: Repaired, settings: Settings, judge: Judge, path: Path) -> None:
        self._lesson, self._repaired, self._settings, self._judge, self._path = lesson, repaired, settings, judge, path

    async def graded(self) -> Outcome:
        clean = with_ours(self._repaired, self._lesson, ())  # the second run begins with what was handed in
        first = Once(self._lesson, self._repaired, self._settings, self._judge, self._path)
        await first.complete()
        # All that comes after the first run shares one more notebook's time.
        deadline = time.monotonic() + self._settings.limits.notebook
        verdicts, notes = await self._with_ours(clean, dict(first.verdicts), deadline)
        verdicts = await self._named(verdicts)
        verdicts = await self._opened(clean, first, verdicts, deadline)
        first.write(verdicts)
        lost = [await self._lost(verdict) for verdict in first.verdicts.values()] if self._settings.lost else []
        notes = (*self._repaired.notes, *first.notes, *notes)
        return Outcome(tuple(verdicts.values()), self._repaired.notebook, notes, tuple(filter(None, lost)))

    async def _with_ours(
        self, clean: Repaired, verdicts: dict[str, Verdict], deadline: float
    ) -> tuple[dict[str, Verdict], tuple[Note, ...]]:
        """Run what builds on a failed exercise again, with ours in its place. Nothing but better points comes of it,
        and no failure of ours in it takes away what was earned."""
        done = set[str]()
        while (again := next_run(self._lesson, verdicts, done)) is not None:
            done |= again.exercises
            left = deadline - time.monotonic()
            if left <= 0:
                break
            limits = replace(self._settings.limits, notebook=left)
            settings = replace(self._settings, limits=limits, only=again.exercises)
            notebook = with_ours(clean, self._lesson, again.ours)
            second = Once(self._lesson, notebook, settings, self._judge, self._path, remember=False)
            try:
                await second.complete()
            except CourseError:
                words = "What builds on an exercise that failed could not be tested with ours. Grade again."
                return verdicts, (Note("second run", words, flag=True),)
            for name, verdict in second.verdicts.items():
                verdicts[name] = better(verdicts[name], verdict, again.ours)
        return verdicts, ()

    async def _opened(
        self, clean: Repaired, first: Once, verdicts: dict[str, Verdict], deadline: float
    ) -> dict[str, Verdict]:
        """Show how visible checks failed that were made after hidden ones: see `autograde.run.opened`."""
        late, left = to_open(verdicts), deadline - time.monotonic()
        if not late or left <= 0 or not self._settings.shown:
            return verdicts
        settings = replace(self._settings, only=late, limits=replace(self._settings.limits, notebook=left))
        notebook = with_ours(clean, self._lesson, ())
        again = Once(self._lesson, notebook, settings, self._judge, self._path, remember=False, open=True)
        with contextlib.suppress(CourseError):  # then there is less to see, and nothing else is lost
            await again.complete()
            shown = {name: opened(verdicts[name], again.verdicts.get(name)) for name in late}
            late = frozenset(name for name, verdict in shown.items() if not verdict.after_hidden)
            if late:
                first.show(again, late)
            return verdicts | shown
        return verdicts

    async def _named(self, verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
        """Name the mistakes. Where an exercise builds on one that failed, that one's mistake stands beside its own when
        both are replayed; if it has no name, there is nothing to replay with."""
        deadline = time.monotonic() + self._settings.limits.diagnosis
        beside: dict[str, str] = {}
        found: dict[str, str] = {}
        for test in self._lesson.tests:
            name = str(test.exercise)
            if name not in verdicts:
                continue
            failed = [need for need in self._lesson.needs(name) if need in verdicts and not verdicts[need].full]
            left = deadline - time.monotonic()
            if verdicts[name].status != "failed" or not set(failed) <= set(beside) or left <= 0:
                continue
            instead = {need: beside[need] for need in failed}
            answer = await self._judge.mistake(test, self._source(name), instead, left)
            if answer is not None:
                beside[name] = answer.source
                found[name] = answer.hint
        return {
            name: replace(verdict, mistake=found.get(name, "")) if verdict.status == "failed" else verdict
            for name, verdict in verdicts.items()
        }

    def _source(self, exercise: str) -> str:
        """The student's cell for an exercise, as far as it is looked at."""
        cells = self._repaired.notebook.cells
        found = (cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("grade_id") == exercise)
        return str(next(found, ""))[:SOURCE_LIMIT]

    async def _lost(self, verdict: Verdict) -> dict[str, Any] | None:
        test = self._lesson.by_id[verdict.grade_id]
        words = await self._judge.lost(test) if not verdict.full else None
        return {"exercise": verdict.exercise, **words} if words else None
