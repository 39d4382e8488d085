"""The judge as a process: forked while its parent is single-threaded, asked over a socket, replaced when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import resource
import signal
import socket
from collections.abc import Mapping
from typing import Any

from autograde.judge.cell import run_test
from autograde.judge.channel import Channel
from autograde.judge.room import JudgeRoom
from autograde.lesson import Cell, Lesson
from autograde.limits import Limits
from autograde.verdict import Verdict, no_points

#: Seconds that the student's kernel may take to enter a test, and that the judge may take on top of its own limits.
ENTRY, GRACE = 10.0, 20.0


class Judge:
    """The worker's handle on its judge. Make it before the first thread or event loop of the process exists."""

    def __init__(self, lesson: Lesson, limits: Limits, seeds: Mapping[str, int], listener: socket.socket) -> None:
        self._limits = limits
        self._control, theirs = socket.socketpair()
        self._buffer = b""
        self._pid = os.fork()
        if self._pid == 0:
            _in_child(lambda: _keep(lesson, limits, seeds, listener, theirs, self._control))
        theirs.close()
        listener.close()
        self._control.setblocking(False)

    async def test(self, cell: Cell, *, after_hidden: bool) -> Verdict:
        """Run one test cell, whose agent has been called in the student's kernel. Always returns a verdict.

        `after_hidden`: the student's code has seen hidden inputs, so nothing that it makes is shown to the student.
        """
        assert cell.grade_id is not None
        loop = asyncio.get_running_loop()
        request = {"test": cell.grade_id, "after_hidden": after_hidden}
        await loop.sock_sendall(self._control, json.dumps(request).encode() + b"\n")
        try:
            async with asyncio.timeout(ENTRY + self._limits.test + GRACE):
                while b"\n" not in self._buffer:
                    piece = await loop.sock_recv(self._control, 1 << 16)
                    if not piece:
                        break
                    self._buffer += piece
        except TimeoutError:
            self._buffer = b""
            self._kill_current()
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer = json.loads(line) if line else None
        if answer is None:
            why = "The judge ended while it tested this answer. Look at the answer: it may be an attack."
            message = "This test could not be finished; your instructor will look at it."
            zero = no_points(cell.grade_id, cell.exercise or cell.grade_id, cell.points, "broken test", message, why)
            return zero.lost("broken test", message, flag=True)
        return Verdict.from_dict(answer)

    def _kill_current(self) -> None:
        """End the judge that hangs; its keeper forks another, and says so with an empty answer."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)

    def close(self) -> None:
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _in_child(work: Any) -> None:
    """Run `work` in a forked child and never return into the parent's code."""
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _keep(
    lesson: Lesson,
    limits: Limits,
    seeds: Mapping[str, int],
    listener: socket.socket,
    control: socket.socket,
    parents_end: socket.socket,
) -> None:
    """Fork a judge; when it dies, answer `null` for it and fork the next, until the worker hangs up."""
    parents_end.close()
    while True:
        pid = os.fork()
        if pid == 0:
            _die_with_parent()
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)
            _in_child(lambda: _serve(lesson, limits, seeds, listener, control))
        signal.signal(signal.SIGUSR1, lambda *_, pid=pid: os.kill(pid, signal.SIGKILL))
        if os.waitpid(pid, 0)[1] == 0:
            return
        control.sendall(b"null\n")


def _die_with_parent() -> None:
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def _serve(
    lesson: Lesson, limits: Limits, seeds: Mapping[str, int], listener: socket.socket, control: socket.socket
) -> None:
    """Answer requests, one line of JSON each, until the worker hangs up."""
    _limit_memory(limits.judge_memory)
    setup = _Setup(lesson)
    tests = lesson.by_id
    with control.makefile("rwb") as line:
        for request in line:
            asked = json.loads(request)
            seed = seeds[asked["test"]]
            verdict = _judge(tests[asked["test"]], setup, limits, seed, listener, asked["after_hidden"])
            line.write(json.dumps(verdict.to_dict()).encode() + b"\n")
            line.flush()


def _judge(
    cell: Cell, setup: _Setup, limits: Limits, seed: int, listener: socket.socket, after_hidden: bool
) -> Verdict:
    assert cell.grade_id is not None
    zero = no_points(cell.grade_id, cell.exercise or cell.grade_id, cell.points, "crashed", "")
    try:
        namespace = setup.until(cell.index)
    except Exception as error:
        return zero.lost("broken test", f"A setup cell of this lesson fails: {error!r}", flag=True)
    listener.settimeout(ENTRY)
    try:
        connection, _ = listener.accept()
    except TimeoutError:
        return zero.lost("crashed", "Your kernel did not answer when this exercise was to be tested.")
    with contextlib.closing(Channel(connection)) as channel:
        room = JudgeRoom(channel, cell.source, seed, limits, after_hidden=after_hidden)
        verdict = run_test(cell, namespace, room, limits, seed)
    _hang_up_on_others(listener)
    return verdict


def _hang_up_on_others(listener: socket.socket) -> None:
    """Close connections that nobody of ours made, so that they do not stand before the next test."""
    listener.setblocking(False)
    with contextlib.suppress(OSError):
        while True:
            listener.accept()[0].close()


def _limit_memory(more: int) -> None:
    with open("/proc/self/statm") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))


class _Setup:
    """The names that the setup cells define, from the instructor's text, computed once and copied for every test."""

    def __init__(self, lesson: Lesson) -> None:
        self._cells = [cell for cell in lesson.cells if cell.kind == "setup"]
        self._names: dict[str, Any] = {"__name__": "__judge__"}

    def until(self, index: int) -> dict[str, Any]:
        while self._cells and self._cells[0].index < index:
            cell = self._cells.pop(0)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, f"<{cell.grade_id or 'setup'}>", "exec"), self._names)
        return dict(self._names)
