"""What a test asked of a student's code and what came back: kept as plain bytes, within bounds."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import Any

from course_utils import check, wire

#: What one test may leave behind. Of a test that asks for more, the mistake is not named.
MOST_CALLS, MOST_BYTES = 2_000, 16 << 20


@dataclass(frozen=True)
class Call:
    """One call of a probe: its name, the arguments as a frame, and the result as a frame or the exception's classes."""

    probe: str
    args: bytes
    hidden: bool
    result: bytes | None = None
    kinds: tuple[str, ...] = ()
    message: str = ""

    @property
    def size(self) -> int:
        return len(self.args) + len(self.result or b"") + sum(map(len, self.kinds)) + len(self.message)


@dataclass
class Record:
    """A test's calls in their order, and where it failed: `place` holds the lines of the test cell, outermost first.

    `complete` is False when a call is missing because there were too many or too large ones. `error` is what the test
    ended with in words, `values` what a check expected and got, where it compared values.
    """

    calls: list[Call] = field(default_factory=list)
    complete: bool = True
    place: tuple[int, ...] = ()
    error: str = ""
    values: tuple[Any, Any] | None = None
    seconds: float = 0.0
    _bytes: int = 0

    def answered(self, probe: str, args: tuple[Any, ...], value: Any, *, hidden: bool) -> None:
        self._add(Call(probe, wire.encode(args), hidden, wire.encode(value)))

    def raised(self, probe: str, args: tuple[Any, ...], kinds: tuple[str, ...], message: str, *, hidden: bool) -> None:
        self._add(Call(probe, wire.encode(args), hidden, kinds=kinds, message=message))

    def _add(self, call: Call) -> None:
        self._bytes += call.size
        self.complete &= len(self.calls) < MOST_CALLS and self._bytes <= MOST_BYTES
        if self.complete:
            self.calls.append(call)

    def ended(self, error: BaseException, filename: str) -> None:
        """Note what the test ended with."""
        self.place = lines_of(error, filename)
        self.error = str(error)
        self.values = error.values if isinstance(error, check.Failed) else None


def lines_of(error: BaseException, filename: str) -> tuple[int, ...]:
    """The lines of a test cell that an exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return tuple(frame.lineno or 0 for frame in frames if frame.filename == filename)
