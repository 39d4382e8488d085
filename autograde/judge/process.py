"""The worker's handle on its judge: a process that is asked over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograde.bank import Answer
from autograde.errors import CourseError
from autograde.judge.servers import ForkedServer
from autograde.lesson import Cell, Lesson
from autograde.limits import ENTRY, Limits
from autograde.verdict import Verdict, no_points

#: Seconds that the judge may take on top of its own limits.
GRACE = 20.0


class Judge:
    """A judge of one lesson, whom the student's kernel calls on `listener`; one who dies is replaced when asked next.

    Args:
        line: of a judges' server; without it one is forked here. Then make it before the first thread or event loop
            of the process exists.
    """

    def __init__(
        self,
        lesson: Lesson,
        limits: Limits,
        seeds: Mapping[str, int],
        listener: socket.socket,
        line: Path | None = None,
    ) -> None:
        self._limits, self._listener = limits, listener
        self._hello = json.dumps({"limits": limits.to_dict(), "seeds": dict(seeds)}).encode()
        self._lesson = os.memfd_create("lesson")
        with open(os.dup(self._lesson), "w") as file:
            json.dump(lesson.to_dict(), file)
        self._server = None if line is not None else ForkedServer()
        self._line = self._server.line if self._server is not None else line
        self._control: socket.socket | None = None
        self._buffer = b""

    async def test(self, cell: Cell, *, after_hidden: bool, remember: bool = True, open: bool = False) -> Verdict:
        """Run one test cell, whose agent has been called in the student's kernel. Always returns a verdict.

        Args:
            after_hidden: the student's code has seen hidden inputs, so nothing that it makes is shown to the student.
            remember: keep the record of a test that fails, for `mistake` and `lost`.
            open: leave the hidden regions out.
        """
        assert cell.grade_id is not None
        request = {"test": cell.grade_id, "after_hidden": after_hidden, "remember": remember, "open": open}
        answer = await self._ask(request, ENTRY + self._limits.test + GRACE)
        if answer is None:
            why = "The judge ended while it tested this answer. Look at the answer: it may be an attack."
            message = "This test could not be finished; your instructor will look at it."
            zero = no_points(cell.grade_id, cell.exercise or cell.grade_id, cell.points, "broken test", message, why)
            return zero.lost("broken test", message, flag=True)
        return Verdict.from_dict(answer)

    async def mistake(self, cell: Cell, source: str, beside: Mapping[str, str], seconds: float) -> Answer | None:
        """The wrong answer of the bank that behaves as the student's did in a remembered test, if there is one.

        Args:
            source: the student's cell; its text decides between answers that behave alike, and never runs here.
            beside: the sources that stand in other exercises' cells instead of our solutions.
        """
        request = {"mistake": cell.grade_id, "source": source, "beside": dict(beside), "seconds": seconds}
        found = await self._ask(request, seconds + GRACE)
        return Answer(**found) if found else None

    async def lost(self, cell: Cell) -> dict[str, Any] | None:
        """How a remembered test failed, in words: see `autograde.judge.words`. Never for a student."""
        return await self._ask({"lost": cell.grade_id}, GRACE)

    async def _ask(self, request: dict[str, Any], seconds: float) -> Any:
        """The judge's answer; None when it had to be ended, or ended itself, over this request."""
        control = self._control or self._called()
        loop = asyncio.get_running_loop()
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(seconds):
                await loop.sock_sendall(control, json.dumps(request).encode() + b"\n")
                while b"\n" not in self._buffer:
                    piece = await loop.sock_recv(control, 1 << 16)
                    if not piece:
                        break
                    self._buffer += piece
        line, ended, self._buffer = self._buffer.partition(b"\n")
        if not ended:
            self._hang_up()
            return None
        return json.loads(line)

    def _called(self) -> socket.socket:
        """A line to a new judge.

        Raises:
            CourseError: its server is gone.
        """
        control = socket.socket(socket.AF_UNIX)
        try:
            control.connect(str(self._line))
            socket.send_fds(control, [self._hello], [self._listener.fileno(), self._lesson])
        except OSError as error:
            control.close()
            raise CourseError("The judges' server ended. Run the same command again: what is graded stays.") from error
        control.setblocking(False)
        self._control = control
        return control

    def _hang_up(self) -> None:
        """The judge ends with its line, whatever it is busy with."""
        if self._control is not None:
            self._control.close()
        self._control, self._buffer = None, b""

    def close(self) -> None:
        self._hang_up()
        self._listener.close()
        os.close(self._lesson)
        if self._server is not None:
            self._server.close()
