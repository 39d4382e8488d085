"""Claims: every number that a lesson states is measured where it is stated, or was, and then says when.

    claim("corner variance", measured, expect=4 / 9, tol=0.02, source="lecture, slide 12")
    claim("accuracy, ten epochs", train, expect=1.0, tol=0.02, preset="full")

The second one takes hours. In a cheaper preset `train` is not called: the last recorded result is shown with its date.
A claim lies in the output of its cell under a MIME type of its own, so that an executed notebook is all the evidence.
"""

from __future__ import annotations

import datetime
import html
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from course_utils import settings, shown

__all__ = ["MIME", "ClaimFailed", "claim", "recorded"]

#: Where a claim lies in the output of its cell; `autograde.claims` reads it there.
MIME = "application/vnd.course.claim+json"
#: The last result of every claim that costs more than the preset `quick`; `autograde record` writes it.
RECORDED = Path(__file__).with_name("recorded.json")
#: A claim is made of at most this many numbers; this many of them are written out.
MOST, WRITTEN = 1000, 8
COLOURS = {True: "#1a7f37", False: "#b3261e", None: "#8a6100"}
MARKS = {True: "✓", False: "✗", None: "?"}


class ClaimFailed(AssertionError):
    """What a lesson states is not what was measured."""

    def _render_traceback_(self) -> list[str]:
        return shown.failure(str(self))


def claim(
    name: str,
    measured: Any,
    *,
    expect: Any,
    tol: Any,
    source: str = "",
    preset: str = settings.PRESETS[0],
) -> None:
    """State a number beside the measured one; the text of the lesson may then use it.

    Args:
        name: what it is, unique in the notebook, and in the course if its preset is not `quick`.
        measured: a number, or numbers in any shape; or a function without arguments that measures them.
        expect: the number that the text states; one number stands for all, or in the shape of `measured`.
        tol: the largest |measured - expect|; one number, or in the shape of `measured`.
        source: where the expected number comes from.
        preset: the cheapest preset that can afford it. Needs a function: in a cheaper preset it is not called.

    Raises:
        ClaimFailed: a number is farther off than its tolerance, or is not finite; the output holds the claim all the
            same. A recorded result counts like a measured one.
        TypeError: something is no number, or a value is given where a function is needed.
        ValueError: there is no such preset, shapes differ, or `expect` or `tol` cannot be met by any number.
    """
    if not (isinstance(name, str) and name.strip()):
        raise ValueError("a claim needs a name: say in a few words what was measured.")
    dear = preset != settings.PRESETS[0]
    affordable = settings.affords(preset)
    if dear and not callable(measured):
        raise TypeError(f"{name}: with preset={preset!r} give a function that measures, so that others can skip it.")
    right, allowed = _stated(name, expect, tol)
    made: dict[str, Any] = {"date": datetime.date.today().isoformat(), "seed": settings.seed(), "recorded": False}
    made["made_with"] = settings.preset()
    start = time.perf_counter()
    if affordable:
        values = _numbers(measured() if callable(measured) else measured, name, "measured")
        made["seconds"] = round(time.perf_counter() - start, 3)
    elif (old := recorded(name)) is not None:
        values = _numbers(old["measured"], name, "recorded")
        made = {**made, **{key: old[key] for key in ("date", "seed", "made_with", "seconds") if key in old}}
        made["recorded"] = True
    else:
        _show(_Claim(name, None, right, allowed, source, preset, made))
        return
    if any(given.ndim and given.shape != values.shape for given in (right, allowed)):
        raise ValueError(f"{name}: measured {values.shape}, expect {right.shape}, tol {allowed.shape}: shapes differ.")
    stated = _Claim(name, values, right, allowed, source, preset, made)
    _show(stated)
    if not stated.holds:
        raise ClaimFailed(f"This claim does not hold: {stated.line}")


def recorded(name: str) -> dict[str, Any] | None:
    """The last recorded result of a claim: measured, expect, tol, preset, date, source and more; or None.

    `seconds`, where it is known, is the wall time that measuring took.

    Raises:
        ValueError: the record is not readable.
    """
    try:
        content = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
        found = content.get(name)
        return None if found is None else {"measured": found["measured"], "date": str(found["date"]), **found}
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            f"{RECORDED.name} is damaged ({error!r}). Get it again, or write it: autograde record."
        ) from None


class _Claim:
    """A claim with all that its output says. `values` is None when nothing has been measured."""

    def __init__(
        self,
        name: str,
        values: np.ndarray | None,
        expect: np.ndarray,
        tol: np.ndarray,
        source: str,
        preset: str,
        made: dict[str, Any],
    ) -> None:
        self.name, self.values, self.expect, self.tol = name, values, expect, tol
        self.source, self.preset, self.made = source, preset, made
        self.holds: bool | None = None
        if values is not None:
            # a difference of two decimal numbers may miss the tolerance by the last bit
            close = np.abs(values - expect) <= tol + 1e-12 * np.maximum(1, np.abs(expect))
            self.holds = bool(np.isfinite(values).all() and close.all())

    @property
    def line(self) -> str:
        """The claim in one line, without its mark."""
        stated = f"expected {_written(self.expect)} ± {_written(self.tol)}"
        if self.values is None:
            return f"{self.name}: {stated}, {self._when}"
        got = f"{self.name}: {_written(self.values)}, {stated}"
        if not np.isfinite(self.values).all():
            got += "; not all are finite numbers"
        elif self.values.ndim and not self.holds:
            got += f"; farthest off by {_number(float(np.abs(self.values - self.expect).max()))}"
        return got + (f", {self._when}" if self.made["recorded"] else "")

    @property
    def _when(self) -> str:
        """Why nothing was measured here, and what is known instead."""
        now = f"this run is `{settings.preset()}`"
        if self.values is None:
            return f"not measured: {now}, to measure takes `{self.preset}`, and nothing is recorded yet"
        return f"recorded {self.made['date']} with `{self.made['made_with']}`; {now}"

    def payload(self) -> dict[str, Any]:
        """What a program reads: JSON without NaN."""
        return {
            "name": self.name,
            "measured": None if self.values is None else _json(self.values),
            "expect": _json(self.expect),
            "tol": _json(self.tol),
            "source": self.source,
            "preset": self.preset,
            "ok": self.holds,
            **self.made,
        }

    def as_html(self) -> str:
        colour, mark, words = COLOURS[self.holds], MARKS[self.holds], html.escape(self.line)
        if self.made["recorded"] and self.holds:
            colour = COLOURS[None]
        source = f' <span style="opacity:.7">({html.escape(self.source)})</span>' if self.source else ""
        style = f"border-left:3px solid {colour};padding:1px 8px;font-size:90%"
        return f'<div style="{style}"><span style="color:{colour}">{mark}</span> {words}{source}</div>'


def _show(stated: _Claim) -> None:
    line = f"{MARKS[stated.holds]} {stated.line}" + (f" ({stated.source})" if stated.source else "")
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(line)
        return
    bundle = {"text/plain": line, "text/html": stated.as_html(), MIME: stated.payload()}
    ipython.display.display(bundle, raw=True)


def _stated(name: str, expect: Any, tol: Any) -> tuple[np.ndarray, np.ndarray]:
    """`expect` and `tol` as numbers that some measurement can meet."""
    right, allowed = _numbers(expect, name, "expect"), _numbers(tol, name, "tol")
    if not np.isfinite(right).all():
        raise ValueError(f"{name}: expect is {_written(right)}. State finite numbers.")
    if not (np.isfinite(allowed).all() and (allowed >= 0).all()):
        raise ValueError(f"{name}: tol is {_written(allowed)}. A tolerance is finite and not below 0.")
    return right, allowed


def _numbers(value: Any, name: str, what: str) -> np.ndarray:
    """A number, list, array or tensor as float64."""
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu().double().numpy()
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{name}: {what} is {value!r:.80}. Give a number, or numbers in one shape.") from None
    if value is None or isinstance(value, str) or not 1 <= numbers.size <= MOST:
        raise TypeError(f"{name}: {what} is {value!r:.80}. Give a number, or 1 to {MOST} numbers in one shape.")
    return numbers


def _json(values: np.ndarray) -> Any:
    """A number or nested lists; what is not finite becomes None."""
    numbers = values.astype(object)
    numbers[~np.isfinite(values)] = None
    return numbers.tolist()


def _written(values: np.ndarray) -> str:
    if values.ndim == 0:
        return _number(float(values))
    flat = [_number(float(value)) for value in values.flat[:WRITTEN]]
    more = f", … {values.size} numbers" if values.size > WRITTEN else ""
    return f"[{', '.join(flat)}{more}]"


def _number(value: float) -> str:
    """Whole numbers in full, others with four digits: 50176, 0.4444, 1.2e-05."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e12 else f"{value:.4g}"
