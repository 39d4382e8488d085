"""One notebook through the two rooms, once: the student's cells in the sandbox, the tests in the judge."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograde.errors import CourseError
from autograde.judge.process import Judge
from autograde.lesson import Cell, Lesson
from autograde.repair import Note, Repaired
from autograde.run.explain import Solution, explain
from autograde.run.kernel import Ran, StudentKernel
from autograde.run.settings import Settings
from autograde.run.words import error_of, outputs_of, words_for
from autograde.sandbox.provisioner import SandboxOptions
from autograde.verdict import Verdict, no_points


class Once:
    """A run over the notebook of `repaired`, whose cells receive outputs; `verdicts` and `notes` say how it went.

    `judge` listens at `path`; with `remember` it keeps the records of tests that fail. What is neither
    remembered nor open is blind: nobody sees what it prints or draws. A run that is `open` tests the
    visible parts only, so that all it shows may be shown.
    """

    def __init__(
        self,
        lesson: Lesson,
        repaired: Repaired,
        settings: Settings,
        judge: Judge,
        path: Path,
        *,
        remember: bool = True,
        open: bool = False,
    ) -> None:
        self._lesson, self._repaired, self._settings, self._judge = lesson, repaired, settings, judge
        self._remember, self._open = remember, open
        self._cells = repaired.notebook.cells
        self._limits = settings.limits
        pictures = settings.shown and (remember or open)
        seen = (path, settings.files, settings.hidden, pictures, settings.warm)
        self._options = SandboxOptions(settings.limits, *seen)
        self._kernel: StudentKernel | None = None
        self._guilty: set[int] = set()
        self.notes: list[Note] = []
        self.verdicts: dict[str, Verdict] = {}
        self._printed: dict[str, list[Any]] = {}
        self._hidden_seen = False
        self._student_ran = False
        self._stopped: dict[int, Ran] = {}
        self._deadline = time.monotonic() + settings.limits.notebook

    async def complete(self) -> None:
        """Run every cell; of a selection of tests, every cell above the last of them.

        Raises:
            CourseError: the student's kernel does not start here, or our own setup cell fails in it.
        """
        tests = [self._test_of(cell) if cell.cell_type == "code" else None for cell in self._cells]
        wanted = [place for place, test in enumerate(tests) if test is not None and self._wants(test)]
        end = len(tests) if self._settings.only is None else max(wanted, default=-1) + 1
        try:
            for place, test in enumerate(tests[:end]):
                if test is None and self._cells[place].cell_type == "code":
                    await self._run_cell(place)
                elif test is not None and place in wanted:
                    await self._run_test(place, test)
        finally:
            if self._kernel is not None:
                await self._kernel.kill()

    def _wants(self, test: Cell) -> bool:
        return self._settings.only is None or test.exercise in self._settings.only

    def write(self, verdicts: Mapping[str, Verdict]) -> None:
        """Put verdicts below their test cells, after what the student's code printed there."""
        for cell in self._cells:
            test = self._test_of(cell) if cell.cell_type == "code" else None
            verdict = verdicts.get(test.exercise or "") if test is not None else None
            if verdict is not None:
                cell.outputs = [*self._printed[verdict.exercise], *outputs_of(verdict)]
                if verdict.after_hidden or verdict.saw_hidden:
                    cell.metadata["after_hidden"] = True

    def show(self, opened: Once, exercises: Collection[str]) -> None:
        """Take the outputs of an open run of the same notebook, which ended with the last of `exercises`."""
        for name in exercises:
            self._printed[name] = opened._printed[name]
        last = max(place for place, cell in enumerate(self._cells) if self._exercise_of(place) in exercises)
        for cell, again in zip(self._cells[:last], opened._cells[:last], strict=True):
            if cell.cell_type == "code" and self._test_of(cell) is None:
                cell.outputs = again.outputs
                cell.metadata.pop("after_hidden", None)

    def _test_of(self, cell: Any) -> Cell | None:
        known = self._lesson.by_id.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        return known if known is not None and known.kind == "test" else None

    @property
    def _left(self) -> float:
        return self._deadline - time.monotonic()

    async def _run_cell(self, place: int) -> None:
        """Run a student's cell; what it does to its kernel costs itself only."""
        cell = self._cells[place]
        if self._hidden_seen:
            cell.metadata["after_hidden"] = True
        if self._left <= 0 or not cell.source.strip():
            return
        kernel = await self._living_kernel(place)
        ran = await kernel.execute(cell.source, min(self._limits.cell, self._left), cell.outputs)
        if ran.ending == "error" and self._is_ours(cell) and not self._student_ran:
            # Before any code of the student's: then it is not the student's fault, and must not cost points.
            raise CourseError(
                f"Our own setup cell fails in the sandbox: {error_of(cell.outputs)}. Run `autograde doctor`."
            )
        self._student_ran |= not self._is_ours(cell)
        await self._after(ran, place)

    def _is_ours(self, cell: Any) -> bool:
        known = self._lesson.by_id.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        return known is not None and known.kind == "setup"

    async def _after(self, ran: Ran, place: int) -> None:
        if words := words_for(ran.ending, self._limits):
            self._stopped[place] = ran
            self.notes.append(Note(ran.ending, f"Cell {place + 1}: this cell {words}.", self._exercise_of(place)))
        if not ran.alive:
            self._guilty.add(place)
            await self._drop_kernel()

    def _exercise_of(self, place: int) -> str | None:
        known = self._lesson.by_id.get(self._cells[place].metadata.get("nbgrader", {}).get("grade_id", ""))
        return known.exercise if known else None

    async def _drop_kernel(self) -> None:
        if self._kernel is not None:
            await self._kernel.kill()
        self._kernel = None

    async def _living_kernel(self, upto: int) -> StudentKernel:
        """The kernel, after a death a new one in which all earlier cells but the guilty ran again."""
        while self._kernel is None:
            self._kernel = StudentKernel(self._options, sandboxed=self._settings.sandboxed)
            await self._kernel.start()
            await self._kernel.execute("import sys; sys.path.append('')", self._limits.start, [], silent=True)
            for place in range(upto):
                cell = self._cells[place]
                if cell.cell_type != "code" or place in self._guilty or self._test_of(cell) or not cell.source.strip():
                    continue
                if self._left <= 0:
                    break
                ran = await self._kernel.execute(cell.source, min(self._limits.cell, self._left), [])
                if not ran.alive:
                    self._guilty.add(place)
                    await self._drop_kernel()
                    break
        return self._kernel

    async def _run_test(self, place: int, test: Cell) -> None:
        prints: list[Any] = []
        if self._left <= 0:
            late = f"The notebook used all of its {self._limits.told.notebook:g} s before this test."
            verdict = no_points(str(test.grade_id), str(test.exercise or test.grade_id), test.points, "timeout", late)
        else:
            verdict, prints = await self._examine(place, test)
        verdict = explain(verdict, self._solution_of(verdict.exercise, place))
        self._hidden_seen |= verdict.saw_hidden
        self.verdicts[verdict.exercise], self._printed[verdict.exercise] = verdict, prints

    async def _examine(self, place: int, test: Cell) -> tuple[Verdict, list[Any]]:
        """Let the judge in; afterwards make sure that the kernel can go on."""
        kernel = await self._living_kernel(place)
        prints: list[Any] = []
        code = f"__import__('course_agent').serve({kernel.judge_socket!r}, globals())"
        total = self._limits.test + 30
        student = asyncio.create_task(kernel.execute(code, total, prints, silent=True))
        asked = self._judge.test(test, after_hidden=self._hidden_seen, remember=self._remember, open=self._open)
        judging = asyncio.create_task(asked)
        done, _ = await asyncio.wait({student, judging}, return_when=asyncio.FIRST_COMPLETED)
        if judging not in done and not student.result().alive:
            # The judge sees the line close and says so; give it what it needs to see that.
            await kernel.kill()
        verdict = await judging
        ran = await self._leave(kernel, student, verdict)
        if not ran.alive:
            await self._blame(place, test, ran)
        if verdict.status == "crashed" and ran.ending in ("memory", "processes", "files"):
            words = words_for(ran.ending, self._limits)
            verdict = replace(verdict, message=f"While it was tested, your code {words}.")
        return verdict, prints

    async def _leave(self, kernel: StudentKernel, student: asyncio.Task[Ran], verdict: Verdict) -> Ran:
        """The judge has hung up: the agent returns at once, unless the student's code still runs; that is stopped."""
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(student), 1.0)
        await kernel.interrupt()
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(student), 2.0)
        student.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await student
        return Ran("timeout", alive=False)

    async def _blame(self, place: int, test: Cell, ran: Ran) -> None:
        """A kernel that did not survive a test goes on without the solution that was tested."""
        for earlier in range(place):
            if self._exercise_of(earlier) == test.exercise:
                self._guilty.add(earlier)
        await self._drop_kernel()

    def _solution_of(self, exercise: str, place: int) -> Solution:
        """The cell that answers an exercise: the last one above its test."""
        mine = [number for number in range(place) if self._exercise_of(number) == exercise]
        cell = self._cells[mine[-1]] if mine else None
        ran = next((self._stopped[number] for number in mine if number in self._stopped), None)
        return Solution(
            source=cell.source if cell is not None else "",
            released=self._lesson.released_source(exercise) or "",
            handed_in=cell is not None and exercise not in self._repaired.missing,
            outputs=tuple(cell.outputs) if cell is not None else (),
            stopped=words_for(ran.ending, self._limits) if ran else "",
            died=ran is not None and ran.ending != "timeout",
        )
