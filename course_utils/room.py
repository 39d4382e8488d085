"""Where a test meets the student's work: on one machine they share a process, in the grader they never do.

A test cell says `@check.probe`; which room answers is decided here. `LocalRoom` calls the function in this process but
passes arguments and results through the same encoder as the grader, so that a check which passes at home passes there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

import torch

from course_utils import shown, wire
from course_utils.kinds import KNOWN_KINDS

__all__ = ["LocalRoom", "Room", "StudentError", "current", "describe_call", "enter"]

#: Hidden inputs where there is no judge (an instructor's own run, stock nbgrader): fixed, public, harmless.
PUBLIC_SEED = 20_26


class StudentError(AssertionError):
    """The student's code raised; `kinds` are the class names of the exception, the most special first."""

    def __init__(self, kinds: tuple[str, ...], message: str, call: str = "") -> None:
        self.kinds, self.message, self.call = kinds, message, call
        where = f"\n  called    {call}" if call else ""
        super().__init__(
            f"Your code raised {kinds[0]}: {message}{where}" if message else f"Your code raised {kinds[0]}{where}"
        )

    def _render_traceback_(self) -> list[str]:
        return shown.error(str(self), self.__cause__)

    @property
    def public(self) -> str:
        """What happened, without anything that the student's code could have put into words."""
        known = next((kind for kind in self.kinds if kind in KNOWN_KINDS), "Exception")
        return f"Your code raised {known} on an input of this test that it should handle."


class Room(Protocol):
    """What a test cell needs of the place it runs in."""

    #: True while hidden tests run: then no figure is drawn and messages keep to `public`.
    hidden: bool
    #: The last call of a probe, in words, for messages.
    last_call: str

    def probe(self, function: Callable[..., Any]) -> Callable[..., Any]: ...

    def hidden_generator(self) -> torch.Generator: ...

    def award(self, points: float) -> None: ...


class LocalRoom:
    """Student, test and judge in one process."""

    def __init__(self) -> None:
        self.hidden = False
        self.last_call = ""
        self._generator: torch.Generator | None = None

    def probe(self, function: Callable[..., Any]) -> Callable[..., Any]:
        shown.watch()

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            self.last_call = describe_call(function.__name__, args)
            args = wire.copy(args)
            try:
                result = function(*args)
            except Exception as error:
                raise StudentError(kinds_of(error), str(error), self.last_call) from error
            return wire.copy(result)

        return call

    def hidden_generator(self) -> torch.Generator:
        if self._generator is None:
            self._generator = torch.Generator().manual_seed(PUBLIC_SEED)
        return self._generator

    def award(self, points: float) -> None:
        """Nothing to do: nbgrader reads the number that `check.award` returns."""


def kinds_of(error: BaseException) -> tuple[str, ...]:
    """The class names of an exception, the most special first, without BaseException and object."""
    return tuple(kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException))


def describe_call(name: str, args: tuple[Any, ...]) -> str:
    """A call in words, `observe(float32 (2, 5, 4), 3)`; large values are named by type and shape."""

    def word(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
        text = repr(value)
        return text if len(text) <= 40 else type(value).__name__

    return f"{name}({', '.join(map(word, args))})"


_room: Room = LocalRoom()


def current() -> Room:
    """The room in which checks run now."""
    return _room


def enter(room: Room) -> None:
    """Let `room` answer from now on; the grader's judge calls this, nobody else."""
    global _room
    _room = room
