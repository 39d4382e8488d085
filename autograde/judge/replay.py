"""Would this answer have failed as the student's did? Runs a test on an answer of ours and compares, call by call.

No student code runs here: of the student there are only the recorded results, plain data. The answers come from the
bank, so they are trusted not to attack, but not to end or to leave things as they were: run this in a forked process.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

import numpy as np
import torch

from autograde.judge.record import Call, Record, lines_of
from autograde.judge.room import probe_sources
from autograde.lesson import Cell, split_hidden
from course_utils import room as rooms
from course_utils import wire
from course_utils.kinds import KNOWN_KINDS

#: Results agree as `check.close` compares by default.
RTOL, ATOL = 1e-4, 1e-5


class Differs(BaseException):
    """The answer behaves otherwise than the student's. No Exception, so that no test cell can catch it."""


class Enough(BaseException):
    """So many calls agree."""


class Replay:
    """A failed test, ready to be run on answers of ours.

    Args:
        record: what it asked of the student's code, what came back, and where it failed.
        names: what the lesson's setup cells define.
        seed: the test's seed for hidden inputs.
    """

    def __init__(self, test: Cell, record: Record, names: dict[str, Any], seed: int) -> None:
        self._record, self._names, self._seed = record, names, seed
        self._filename = f"<{test.grade_id}>"
        # Compiled here, once: the test is run on every answer.
        self._parts = [compile(part.source, self._filename, "exec") for part in split_hidden(test.source)]
        sources = probe_sources(test.source)
        self._probes = {name: compile(source, f"<probe {name}>", "exec") for name, source in sources.items()}

    def agrees(self, program: Iterable[CodeType], calls: int) -> bool:
        """Whether `program` (the cells that the probes need) gives the first `calls` recorded results and, where these
        are all, fails at the same place.

        The second half matters where a wrong answer is nearly right, or right on the recorded calls: the student's
        numbers may then agree with it within tolerance, though it is not what went wrong.
        """
        theirs = dict(self._names)
        for code in program:
            # As in a notebook: a cell that fails leaves what it defined before, and the next ones run.
            with contextlib.suppress(Exception):
                exec(code, theirs)
        room = ReplayRoom(self._record, self._probes, theirs, self._seed, calls)
        rooms.enter(room)
        torch.manual_seed(self._seed)
        names = dict(self._names)
        try:
            for part in self._parts:
                exec(part, names)
        except Enough:
            return True
        except Differs:
            return False
        except Exception as error:
            return lines_of(error, self._filename) == self._record.place and room.calls == len(self._record.calls)
        return False


class ReplayRoom:
    """A test cell's room in which an answer of ours must give the recorded results; see `course_utils.room.Room`.

    Args:
        calls: how many of the recorded calls; before the next one, it is `Enough`.
    """

    def __init__(
        self, record: Record, probes: Mapping[str, CodeType], theirs: dict[str, Any], seed: int, calls: int
    ) -> None:
        self.hidden = True  # nothing is drawn, whatever the region
        self.last_call = ""
        self.calls = 0
        self._record, self._probes, self._theirs, self._enough = record, probes, theirs, calls
        self._generator = torch.Generator().manual_seed(seed)
        # As in the grader, what the answer draws and what the test draws do not disturb each other.
        self._random = torch.Generator().manual_seed(0).get_state()

    def probe(self, function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        exec(self._probes[name], self._theirs)
        probe = self._theirs[name]

        def call(*args: Any) -> Any:
            if self.calls == len(self._record.calls):
                raise Differs
            recorded = self._record.calls[self.calls]
            if recorded.probe != name:
                raise Differs
            if self.calls == self._enough:
                raise Enough
            self.calls += 1
            return self._compared(probe, recorded)

        return call

    def hidden_generator(self) -> torch.Generator:
        return self._generator

    def award(self, points: float) -> None:
        """Nothing to do: a test that comes this far has not failed."""

    def _compared(self, probe: Callable[..., Any], recorded: Call) -> Any:
        """What the answer gives for the recorded arguments, when it is what the student's gave."""
        ours = torch.get_rng_state()
        torch.set_rng_state(self._random)
        try:
            value = wire.copy(probe(*wire.decode(recorded.args)))
        except Exception as error:
            kinds = rooms.kinds_of(error)
            if recorded.result is not None or _known(kinds) != _known(recorded.kinds):
                raise Differs from None
            raise rooms.StudentError(kinds, str(error)) from None
        finally:
            self._random = torch.get_rng_state()
            torch.set_rng_state(ours)
        if recorded.result is None or not same(value, wire.decode(recorded.result)):
            raise Differs
        return value


def _known(kinds: tuple[str, ...]) -> str:
    """The exception as Python knows it: a student's own subclass of ValueError is a ValueError."""
    return next((kind for kind in kinds if kind in KNOWN_KINDS), "")


def same(a: Any, b: Any) -> bool:
    """Whether two pieces of plain data agree: types, shapes and dtypes exactly, numbers within tolerance."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        alike = a.shape == b.shape and a.dtype == b.dtype and a.is_meta == b.is_meta
        return alike and (a.is_meta or _close(a, b))
    if isinstance(a, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and _close(_tensor(a), _tensor(b))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL)
    return bool(a == b)


def _tensor(array: np.ndarray) -> torch.Tensor:
    # float64 holds what numpy's unsigned types hold, to more digits than the tolerance needs
    return torch.from_numpy(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    if not (a.is_floating_point() or a.is_complex()):
        return torch.equal(a, b)
    wide = torch.complex128 if a.is_complex() else torch.float64
    return torch.allclose(a.to(wide), b.to(wide), rtol=RTOL, atol=ATOL, equal_nan=True)
