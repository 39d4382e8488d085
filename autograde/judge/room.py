"""The room that a test cell sees in the judge: its probes run in the student's kernel."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from typing import Any

import torch

from autograde.errors import BrokenTest
from autograde.judge.channel import Channel, Silence
from autograde.judge.record import Record
from autograde.limits import Limits
from course_utils.room import StudentError, describe_call


class JudgeRoom:
    """One test cell's room; see `course_utils.room.Room`. `calls` counts probe calls, `asked_hidden` says whether a
    probe has been called in the hidden region, which ends the time in which student output can be shown to the student
    (`after_hidden`: it has ended already). `record` keeps every call and what came of it.
    """

    def __init__(self, channel: Channel, cell: str, seed: int, limits: Limits, *, after_hidden: bool = False) -> None:
        self.hidden = False
        self.last_call = ""
        self.calls = 0
        self.asked_hidden = False
        self.after_hidden = after_hidden
        self.awarded: float | None = None
        self.record = Record()
        self._channel, self._limits = channel, limits
        self._deadline = time.monotonic() + limits.test
        self._sources = probe_sources(cell)
        self._generator = torch.Generator().manual_seed(seed)

    def probe(self, function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        if name not in self._sources:
            raise BrokenTest(f"the probe {name} does not stand at the top level of its cell")
        self._ask(("define", name, self._sources[name]))

        def call(*args: Any) -> Any:
            self.calls += 1
            self.asked_hidden |= self.hidden
            self.last_call = describe_call(name, args)
            try:
                value = self._ask(("call", name, args))
            except StudentError as error:
                self.record.raised(name, args, error.kinds, error.message, hidden=self.hidden)
                raise
            self.record.answered(name, args, value, hidden=self.hidden)
            return value

        return call

    def hidden_generator(self) -> torch.Generator:
        return self._generator

    def award(self, points: float) -> None:
        self.awarded = points

    def _ask(self, request: tuple[Any, ...]) -> Any:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise Silence
        answer = self._channel.ask(request, min(left, self._limits.call))
        if answer[0] == "ok":
            return answer[1]
        raise StudentError(answer[1], answer[2], self.last_call)


def probe_sources(cell: str) -> dict[str, str]:
    """The probes of a test cell: name -> source without the decorator, as the student's kernel gets it."""
    sources = {}
    for node in ast.parse(cell).body:
        if isinstance(node, ast.FunctionDef) and any(
            ast.unparse(mark) == "check.probe" for mark in node.decorator_list
        ):
            node.decorator_list = []
            sources[node.name] = ast.unparse(node)
    return sources
