"""An assignment's notebooks through one room: all cells of each, tests too, in a sandboxed kernel of the student's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output

from autograde.errors import UnreadableSubmission
from autograde.lesson import Cell, Lesson
from autograde.oneroom.assignment import qualified, read_kit
from autograde.oneroom.files import Folder
from autograde.oneroom.submission import contents
from autograde.oneroom.verdicts import verdict_of, without_points
from autograde.repair import Note, Repaired, repair
from autograde.run.kernel import StudentKernel
from autograde.run.settings import Settings
from autograde.run.words import words_for
from autograde.sandbox.provisioner import SandboxOptions
from autograde.verdict import Verdict


def run(kit: Path, raw: bytes, settings: Settings) -> dict[str, Any]:
    """Run what `autograde.oneroom.submission.find` found; returns the result as plain data.

    What is wrong with one notebook costs that notebook.

    Raises:
        CourseError: the student's kernel does not start here.
    """
    parts, files = read_kit(kit)
    handed_in, own = contents(raw)
    folder = Folder(own, files)
    verdicts: list[Verdict] = []
    notes: list[Note] = []
    notebooks: dict[str, Any] = {}
    for part in parts:
        several = len(parts) > 1
        tests = [replace(test, grade_id=qualified(part.name, str(test.grade_id), several)) for test in part.tests]
        try:
            if part.name not in handed_in:
                raise UnreadableSubmission(f"{part.name}.ipynb was not handed in.")
            repaired = repair(handed_in[part.name], part)
        except UnreadableSubmission as error:
            if part.name in handed_in:
                notes.append(Note("unreadable-notebook", f"{part.name}.ipynb: {error}", flag=True))
                notebooks[part.name] = part.release
            verdicts += [without_points(test, "missing", str(error)) for test in tests]
            continue
        by_id = dict(zip((str(test.grade_id) for test in part.tests), tests, strict=True))
        once = OneRoom(part, repaired, settings, folder, by_id)
        asyncio.run(once.complete())
        verdicts += [once.verdicts[name] for name in by_id]
        notes += [*repaired.notes, *once.notes]
        notebooks[part.name] = repaired.notebook
    return {
        "verdicts": [verdict.to_dict() for verdict in verdicts],
        "notes": [vars(note) for note in notes],
        "notebook": None,
        "notebooks": notebooks,
        "lost": [],
    }


class OneRoom:
    """A run over the notebook of `repaired`, whose cells receive outputs; `verdicts` say how it went.

    `tests` are the test cells by their grade ids in this notebook; each goes by its name in the assignment.
    """

    def __init__(
        self, part: Lesson, repaired: Repaired, settings: Settings, folder: Folder, tests: Mapping[str, Cell]
    ) -> None:
        self._part, self._settings, self._folder, self._tests = part, settings, folder, tests
        self._cells = repaired.notebook.cells
        self._limits = settings.limits
        self._options = SandboxOptions(settings.limits, None, settings.files, settings.hidden, True, settings.warm)
        self._locked = {str(cell.metadata.nbgrader.grade_id): cell.source for cell in _locked(part)}
        self._kernel: StudentKernel | None = None
        self._guilty: set[int] = set()
        self._deadline = time.monotonic() + settings.limits.notebook
        self.notes: list[Note] = []
        self.verdicts: dict[str, Verdict] = {}

    async def complete(self) -> None:
        """Run every cell, in the notebook's order."""
        try:
            for place, cell in enumerate(self._cells):
                if cell.cell_type == "code":
                    await self._run(place)
        finally:
            await self._drop_kernel()

    @property
    def _left(self) -> float:
        return self._deadline - time.monotonic()

    def _grade_id(self, place: int) -> str:
        return str(self._cells[place].metadata.get("nbgrader", {}).get("grade_id", ""))

    def _source(self, place: int) -> str:
        """What runs: the instructor's own text, hidden tests too, where students may not write."""
        return str(self._locked.get(self._grade_id(place), self._cells[place].source))

    async def _run(self, place: int) -> None:
        cell, grade_id = self._cells[place], self._grade_id(place)
        test = self._tests.get(grade_id)
        if self._left > 0:
            kernel = await self._living_kernel(place)
        if self._left <= 0:
            if test is not None:
                late = f"The notebook used all of its {self._limits.told.notebook:g} s before this test."
                self.verdicts[grade_id] = without_points(test, "timeout", late)
                cell.outputs = [_error(late)]
            return
        seconds = self._limits.test if test is not None else self._limits.cell
        started = time.monotonic()
        ran = await kernel.execute(self._source(place), min(seconds, self._left), cell.outputs, reply=True)
        if words := words_for(ran.ending, self._limits):
            # As nbgrader does it, so that whoever reads the notebook sees why there are no points.
            cell.outputs.append(_error(f"This cell {words}."))
            self.notes.append(Note(ran.ending, f"{self._part.name}: cell {place + 1} {words}.", grade_id or None))
        if test is not None:
            self.verdicts[grade_id] = verdict_of(test, ran, cell.outputs, self._limits, time.monotonic() - started)
        if not ran.alive:
            self._guilty.add(place)
            await self._drop_kernel()

    async def _drop_kernel(self) -> None:
        if self._kernel is not None:
            await self._kernel.kill()
        self._kernel = None

    async def _living_kernel(self, upto: int) -> StudentKernel:
        """The kernel; after a death a new one, in which all earlier cells but the guilty ran again, tests too: later
        ones may build on what they define."""
        while self._kernel is None:
            self._kernel = StudentKernel(self._options, sandboxed=self._settings.sandboxed)
            await self._kernel.start()
            await self._folder.furnish(self._kernel)
            for place in range(upto):
                if self._cells[place].cell_type != "code" or place in self._guilty or self._left <= 0:
                    continue
                ran = await self._kernel.execute(self._source(place), min(self._limits.cell, self._left), [])
                if not ran.alive:
                    self._guilty.add(place)
                    await self._drop_kernel()
                    break
        return self._kernel


def _locked(part: Lesson) -> Iterator[Any]:
    """The cells that nbgrader overwrites with the instructor's: of those with a grade id, what is no solution."""
    for cell in part.notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade_id") and not marks.get("solution") and (marks.get("grade") or marks.get("locked")):
            yield cell


def _error(words: str) -> Any:
    return new_output("error", ename="Stopped", evalue=words, traceback=[words])
