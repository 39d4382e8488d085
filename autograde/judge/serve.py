"""Inside the judge's process: answers one line at a time, until the worker hangs up."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import socket
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from autograde.bank import bank
from autograde.diagnosis import alike, nearest
from autograde.judge.cell import run_test
from autograde.judge.channel import Channel
from autograde.judge.forks import die_with_parent
from autograde.judge.record import Record
from autograde.judge.room import JudgeRoom
from autograde.judge.words import in_words
from autograde.lesson import Cell, Lesson
from autograde.limits import ENTRY, Limits
from autograde.verdict import Verdict, no_points


def judge(line: socket.socket) -> None:
    """Be the judge of whoever is at the other end of `line`, who first says of what: see `Judge`."""
    die_with_parent()
    first, (listener, lesson), _, _ = socket.recv_fds(line, 1 << 16, 2)
    if not first:
        return
    asked = json.loads(first)
    with open(lesson, "rb") as file:
        file.seek(0)
        known = Lesson.from_dict(json.load(file))
    _Judge(known, Limits(**asked["limits"]), asked["seeds"], socket.socket(fileno=listener)).serve(line)


class _Judge:
    def __init__(self, lesson: Lesson, limits: Limits, seeds: Mapping[str, int], listener: socket.socket) -> None:
        self._lesson, self._limits, self._seeds, self._listener = lesson, limits, seeds, listener
        self._setup = _Setup(lesson)
        self._records: dict[str, Record] = {}

    def serve(self, control: socket.socket) -> None:
        """Answer requests, one line of JSON each, until the worker hangs up."""
        _limit_memory(self._limits.judge_memory)
        with control.makefile("rwb") as line:
            for request in line:
                line.write(json.dumps(self._answer(json.loads(request))).encode() + b"\n")
                line.flush()

    def _answer(self, asked: dict[str, Any]) -> Any:
        tests = self._lesson.by_id
        if "test" in asked:
            return self._test(tests[asked["test"]], asked["after_hidden"], asked["remember"], asked["open"]).to_dict()
        if "mistake" in asked:
            return self._mistake(tests[asked["mistake"]], asked["source"], asked["beside"], asked["seconds"])
        record = self._records.get(asked["lost"])
        return in_words(record) if record else None

    def _test(self, cell: Cell, after_hidden: bool, remember: bool, open: bool) -> Verdict:
        assert cell.grade_id is not None
        zero = no_points(cell.grade_id, cell.exercise or cell.grade_id, cell.points, "crashed", "")
        try:
            namespace = self._setup.until(cell.index)
        except Exception as error:
            return zero.lost("broken test", f"A setup cell of this lesson fails: {error!r}", flag=True)
        self._listener.settimeout(ENTRY)
        try:
            connection, _ = self._listener.accept()
        except TimeoutError:
            return zero.lost("crashed", "Your kernel did not answer when this exercise was to be tested.")
        seed = self._seeds[cell.grade_id]
        with contextlib.closing(Channel(connection)) as channel:
            room = JudgeRoom(channel, cell.source, seed, self._limits, after_hidden=after_hidden)
            verdict = run_test(cell, namespace, room, self._limits, seed, open=open)
        if remember and verdict.status != "passed":
            self._records[cell.grade_id] = room.record
        _hang_up_on_others(self._listener)
        return verdict

    def _mistake(self, cell: Cell, source: str, beside: dict[str, str], seconds: float) -> dict[str, Any] | None:
        assert cell.grade_id is not None
        record = self._records.get(cell.grade_id)
        if record is None:
            return None
        answers = [answer for answer in bank(self._lesson, cell.exercise) if not answer.right]
        names, seed = self._setup.until(cell.index), self._seeds[cell.grade_id]
        found = nearest(alike(self._lesson, cell, record, answers, names, seed, seconds, beside), source)
        return asdict(found) if found else None


def _hang_up_on_others(listener: socket.socket) -> None:
    """Close connections that nobody of ours made, so that they do not stand before the next test; so many only,
    because somebody may make more of them without end."""
    listener.setblocking(False)
    with contextlib.suppress(OSError):
        for _ in range(1_000):
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
