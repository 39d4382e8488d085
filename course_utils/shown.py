"""What a student sees below a test cell: that all its checks hold, or what does not, without a way through our code.

IPython asks an exception for `_render_traceback_`; outside of IPython nothing here is used.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

__all__ = ["error", "failure", "watch"]

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
