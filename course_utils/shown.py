"""What a student sees below a test cell: that all its checks hold, or what does not, without a way through our code.

IPython asks an exception for `_render_traceback_`; outside of IPython nothing here is used.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

import numpy as np
import torch

__all__ = ["WRITTEN", "draw_both", "error", "failure", "watch", "written"]

#: Tensors with at most this many numbers are written out in a message.
WRITTEN = 40
#: And with at most this many they are drawn.
DRAWN = 4096
GREEN, RED, PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"


def watch() -> None:
    """Say so when the cell that runs now ends well. The first probe of a test cell calls this."""
    shell = _shell()
    if shell is not None and _passed not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _passed)


def _passed(result: Any) -> None:
    shell = _shell()
    shell.events.unregister("post_run_cell", _passed)
    # A cell with a value awards points itself: then not all may hold.
    if result.success and result.result is None:
        print(f"{GREEN}✓ All checks of this cell hold.{PLAIN}")


def failure(message: str) -> list[str]:
    """A check that does not hold: the message, its first line in red."""
    first, *rest = message.split("\n")
    return ["\n".join([f"{RED}✗ {first}{PLAIN}", *rest])]


def error(message: str, cause: BaseException | None) -> list[str]:
    """An exception in the student's code: the message, then the way to it from the first line that is the student's."""
    way = _students_part(cause.__traceback__) if cause is not None else None
    if isinstance(cause, NotImplementedError) and not str(cause):
        where = f": `{_last(way).tb_frame.f_code.co_qualname}` still says NotImplementedError" if way else ""
        return failure(f"Not attempted{where}.")
    shell = _shell()
    if shell is None or way is None:
        return failure(message)
    return [*failure(message), *shell.InteractiveTB.structured_traceback(type(cause), cause, way)]


def written(label: str, value: Any) -> str:
    """A line of a message: the label, then a value; of a large tensor its shape and size."""
    if isinstance(value, torch.Tensor) and value.numel() > WRITTEN:
        exact = value.to(torch.complex128 if value.is_complex() else torch.float64)
        return f"  {label:<9} {tuple(value.shape)}, mean of absolute values {float(exact.abs().mean()):.4g}"
    if isinstance(value, torch.Tensor):
        numbers = value.to(torch.float32) if value.is_floating_point() else value  # numpy has no bfloat16
        value = np.array2string(numbers.numpy(), precision=4, suppress_small=True)
    return f"  {label:<9} " + str(value).replace("\n", "\n" + " " * 12)


def draw_both(expected: torch.Tensor, got: torch.Tensor, what: str) -> None:
    """Expected and yours as two heat maps, where there is something to see."""
    if expected.dim() < 2 or expected.numel() > DRAWN or expected.is_complex():
        return
    from course_utils import plots

    _, axes = plots.expected_and_yours(expected.reshape(-1, expected.shape[-1]), got.reshape(-1, got.shape[-1]), what)
    if expected.dim() > 2:
        axes[0].set_ylabel(f"rows of {tuple(expected.shape)}, one after the other")


def _students_part(way: TracebackType | None) -> TracebackType | None:
    """Without the frames of the room and of the probe."""
    for _ in range(2):
        way = way.tb_next if way is not None else None
    return way


def _last(way: TracebackType) -> TracebackType:
    while way.tb_next is not None:
        way = way.tb_next
    return way


def _shell() -> Any:
    """IPython, where a notebook runs in it. A program that has not imported it does not import it for this."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None
