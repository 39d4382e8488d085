"""The worker's handle on its judge: a process forked while its parent is single-threaded, asked over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import Mapping
from typing import Any

from autograde.bank import Answer
from autograde.judge.forks import in_child
from autograde.judge.serve import ENTRY, keep
from autograde.lesson import Cell, Lesson
from autograde.limits import Limits
from autograde.verdict import Verdict, no_points

#: Seconds that the judge may take on top of its own limits.
GRACE = 20.0


class Judge:
    """Make it before the first thread or event loop of the process exists."""

    def __init__(self, lesson: Lesson, limits: Limits, seeds: Mapping[str, int], listener: socket.socket) -> None:
        self._lesson, self._limits = lesson, limits
        self._control, theirs = socket.socketpair()
        self._buffer = b""
        self._pid = os.fork()
        if self._pid == 0:
            self._control.close()
            in_child(lambda: keep(lesson, limits, seeds, listener, theirs))
        theirs.close()
        listener.close()
        self._control.setblocking(False)

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
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._control, json.dumps(request).encode() + b"\n")
        try:
            async with asyncio.timeout(seconds):
                while b"\n" not in self._buffer:
                    piece = await loop.sock_recv(self._control, 1 << 16)
                    if not piece:
                        break
                    self._buffer += piece
        except TimeoutError:
            self._buffer = b""
            self._kill_current()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line) if line else None

    def _kill_current(self) -> None:
        """End the judge that hangs; its keeper forks another, and says so with an empty answer."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)

    def close(self) -> None:
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
