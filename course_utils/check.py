"""The checks that test cells are made of. Each stops at the first thing that is wrong and says the likely cause.

A test touches a student's work only through a probe, a small function that returns plain data:

    @check.probe
    def observe(q, k, v):
        return attention(q, k, v)

    out, gates = observe(*check.normal((2, 5, 4), (2, 7, 4), (2, 7, 3)))
    check.shape(out, (2, 5, 3), "the output")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from course_utils import room as _rooms
from course_utils import shown
from course_utils.room import StudentError

__all__ = [
    "Failed",
    "StudentError",
    "award",
    "close",
    "dtype",
    "equal",
    "finite",
    "hidden",
    "hidden_seed",
    "instead_of",
    "normal",
    "probe",
    "raises",
    "shape",
    "tensor",
    "that",
    "untouched",
]


class Failed(AssertionError):
    """A property does not hold. `str()` is the whole message, `public` the part that shows no value, `values` what was
    expected and what came, where values were compared."""

    def __init__(self, public: str, detail: str = "", likely: str = "", values: tuple[Any, Any] | None = None) -> None:
        self.values = values
        call = _rooms.current().last_call
        lines = [public, f"  called    {call}" if call else "", detail, f"  likely cause: {likely}" if likely else ""]
        super().__init__("\n".join(line for line in lines if line))
        self.public = f"{public}\n  likely cause: {likely}" if likely else public

    def _render_traceback_(self) -> list[str]:
        return shown.failure(str(self))


def probe(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: `function` runs where the student's work is and sees only its arguments, never an expected value."""
    return _rooms.current().probe(function)


def raises(kind: str, call: Callable[..., Any], *args: Any, rule: str = "") -> None:
    """`call(*args)`, a probe, must raise an exception of class `kind` (or a subclass) in the student's code.

    `rule` says why this input must raise; a message then names it.
    """
    try:
        call(*args)
    except StudentError as error:
        if kind in error.kinds:
            return
        raise Failed(
            f"This input must raise {kind}, but something else was raised.",
            f"  raised    {error.kinds[0]}: {error.message}",
            rule,
        ) from None
    likely = f"bad input is not checked: {rule}" if rule else "bad input is not checked"
    raise Failed(f"This input must raise {kind}, but nothing was raised.", likely=likely)


@contextmanager
def instead_of(words: Sequence[str], property: str, likely: str) -> Iterator[None]:
    """Around a probe's call: an error of the student's code becomes `property`, a sentence, that does not hold.

    Only one with one of `words` in its message, or of the very class of that name; others stay as they are.
    """
    try:
        yield
    except StudentError as error:
        if not any(word in error.message or word == error.kinds[0] for word in words):
            raise
        raised = f"  raised    {error.kinds[0]}: {error.message}"
        raise Failed(f"This does not hold: {property}", raised, likely) from None


def normal(*shapes: tuple[int, ...], seed: int = 0) -> Any:
    """Visible inputs: N(0, 1) tensors of these shapes (one shape: one tensor), float32, the same everywhere."""
    return _draw(shapes, torch.Generator().manual_seed(seed))


def hidden(*shapes: tuple[int, ...]) -> Any:
    """Hidden inputs: N(0, 1) tensors of these shapes (one shape: one tensor), float32, from the course's secret."""
    return _draw(shapes, _rooms.current().hidden_generator())


def hidden_seed() -> int:
    """A hidden number for draws of other kinds: `torch.Generator().manual_seed(check.hidden_seed())`."""
    return int(torch.randint(2**31, (1,), generator=_rooms.current().hidden_generator()))


def _draw(shapes: tuple[tuple[int, ...], ...], generator: torch.Generator) -> Any:
    drawn = tuple(torch.randn(shape, generator=generator, dtype=torch.float32) for shape in shapes)
    return drawn[0] if len(drawn) == 1 else drawn


def that(condition: Any, property: str, likely: str = "") -> None:
    """`property`, a sentence, must hold."""
    if not bool(condition):
        raise Failed(f"This does not hold: {property}", likely=likely)


def tensor(got: Any, what: str = "the result") -> None:
    """`got` must be a tensor with numbers in it."""
    if got is None:
        raise Failed(f"{what} is None.", likely="a `return` is missing")
    if not isinstance(got, torch.Tensor):
        raise Failed(f"{what} must be a tensor.", f"  got       {type(got).__name__}")
    if got.is_meta:
        raise Failed(f"{what} holds no numbers.", "  got       a tensor on the meta device")


def shape(got: Any, expected: tuple[int, ...], what: str = "the result", likely: str = "") -> None:
    """`got` must be a tensor of shape `expected`."""
    tensor(got, what)
    if tuple(got.shape) != tuple(expected):
        detail = f"  expected  {tuple(expected)}\n  yours     {tuple(got.shape)}"
        raise Failed(f"{what} has the wrong shape.", detail, likely, (tuple(expected), got))


def dtype(got: Any, expected: torch.dtype, what: str = "the result", likely: str = "") -> None:
    """`got` must be a tensor of type `expected`."""
    tensor(got, what)
    if got.dtype != expected:
        detail = f"  expected  {expected}\n  yours     {got.dtype}"
        raise Failed(f"{what} has the wrong dtype.", detail, likely, (expected, got))


def finite(got: Any, what: str = "the result", likely: str = "") -> None:
    """`got` must be a tensor without NaN or infinity."""
    tensor(got, what)
    if not bool(torch.isfinite(got).all()):
        raise Failed(f"{what} contains NaN or infinity.", shown.written("yours", got), likely)


def equal(got: Any, expected: Any, what: str = "the result", likely: str = "") -> None:
    """Plain values must be equal; tensors in shape and in every entry."""
    if isinstance(expected, torch.Tensor):
        shape(got, tuple(expected.shape), what)
        same = bool((got == expected).all())
    else:
        same = type(got) is type(expected) and got == expected
    if not same:
        detail = f"{shown.written('expected', expected)}\n{shown.written('yours', got)}"
        raise Failed(f"{what} is not what it should be.", detail, likely, (expected, got))


Cause = torch.Tensor | float | Callable[[], Any]


def close(
    got: Any,
    expected: Any,
    what: str = "the result",
    *,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    likely: Mapping[str, Cause] | None = None,
    otherwise: str = "",
) -> None:
    """Numbers must agree: |got - expected| <= atol + rtol |expected|, compared in float64.

    Args:
        got: a tensor, array or number from a probe.
        expected: a tensor, array, list or number; a tensor also fixes the shape.
        likely: what a mistake would have given, by its name (a value, or a function that computes it when needed); if
            `got` agrees with one, the message names it.
        otherwise: the cause that the message names when none of these agrees.
    """
    wanted = torch.as_tensor(expected)
    if isinstance(got, np.ndarray | float | int) and not isinstance(got, bool):
        got = torch.as_tensor(got)
    shape(got, tuple(wanted.shape), what)
    finite(got, what)
    if _agree(got, wanted, rtol, atol):
        return
    cause = next((name for name, value in (likely or {}).items() if _matches(got, value, rtol, atol)), otherwise)
    if not _rooms.current().hidden:
        shown.draw_both(wanted, got, what)
    worst = (_double(got) - _double(wanted)).abs()
    place = tuple(int(i) for i in torch.unravel_index(worst.argmax(), worst.shape))
    detail = f"{shown.written('expected', wanted)}\n{shown.written('yours', got)}"
    detail += f"\n  largest difference {float(worst.max()):.3g} at {place}"
    if got.numel() > shown.WRITTEN:  # such a tensor is not written out
        detail += f": expected {wanted[place].item():.4g}, yours {got[place].item():.4g}"
    raise Failed(f"{what} has wrong values.", detail, cause, (wanted, got))


IN_PLACE = "+=, *=, a method whose name ends in _, or an assignment into a slice of the input"


def untouched(after: Any, sent: Any, property: str, likely: str = IN_PLACE) -> None:
    """The inputs that a probe hands back after the call must be those that were sent; `property` is the sentence.

    Here they are compared, not in the probe: there, the comparison would be the student's own word.
    """
    same = isinstance(after, list | tuple) and len(after) == len(sent)
    same = same and all(
        isinstance(a, torch.Tensor) and not a.is_meta and a.dtype == b.dtype and torch.equal(a, b)
        for a, b in zip(after, sent, strict=True)
    )
    that(same, property, likely)


def award(points: float) -> float:
    """Partial credit, the last line of a hidden region: this test earns `points` of its points."""
    _rooms.current().award(points)
    return points


def _double(value: torch.Tensor) -> torch.Tensor:
    return value.to(torch.complex128 if value.is_complex() else torch.float64)


def _agree(got: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> bool:
    if got.shape != expected.shape:
        return False
    return torch.allclose(_double(got), _double(expected), rtol=rtol, atol=atol)


def _matches(got: torch.Tensor, cause: Cause, rtol: float, atol: float) -> bool:
    return _agree(got, torch.as_tensor(cause() if callable(cause) else cause), rtol, atol)
