"""What the engine runs inside a notebook's kernel: commands that fail stop their cell, dials are turned to their ends.

The engine sends this file's text; nothing of `autograde` can be imported there.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import random
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

#: Begins the one line that `look` prints.
MARK = "course-nightly:"
PNG = b"\x89PNG\r\n"
_made: list[Any] = []
_hooked = False
_pictures = 0
_slept = 0.0


def prepare(shell: Any, environment: dict[str, str]) -> None:
    """Let `!command` fail as its command does, and count what is slept: it takes a class's time, and no processor's."""
    os.environ.update(environment)
    if shell.has_trait("system_raise_on_error"):
        shell.system_raise_on_error = True
    first = time.sleep

    @functools.wraps(first)
    def sleep(seconds: float) -> None:
        global _slept
        first(seconds)
        if threading.current_thread() is threading.main_thread():
            _slept += seconds

    time.sleep = sleep  # type: ignore[assignment]


def look(shell: Any) -> None:
    """Print as JSON what happened since the last look: widgets that were tried, where they fail, a failed command."""
    failed = [failure for explorer in _new() for failure in _try(explorer)]
    exit_status = shell.user_ns.pop("_exit_code", 0)  # for a shell that knows no `system_raise_on_error`
    found = {"pictures": _pictures, "slept": _slept, "failed": failed, "exit_status": exit_status}
    print(MARK + json.dumps(found, default=str))


def _new() -> list[Any]:
    """The explorers made since the last look."""
    global _hooked
    widgets = sys.modules.get("course_utils.widgets")
    if widgets is None:
        return []
    if not _hooked:
        _hooked = True
        found = [thing for thing in gc.get_objects() if isinstance(thing, widgets.Explorer)]
        first = widgets.Explorer.__init__

        def init(self: Any, *args: Any, **more: Any) -> None:
            first(self, *args, **more)
            _made.append(self)

        widgets.Explorer.__init__ = init
        return found
    found, _made[:] = list(_made), []
    return found


def _try(explorer: Any) -> Iterator[dict[str, Any]]:
    """Look at the picture as it is, with each control at each of its ends, and with all at the same end."""
    controls = explorer.controls
    moves: list[tuple[str, dict[str, Any]]] = [("at its default", {})]
    both = {name: ends for name, control in controls.items() if (ends := _ends(control)) is not None}
    for end, word in enumerate(("lowest", "highest")):
        moves += [(f"with {name} at its {word} value", {name: ends[end]}) for name, ends in both.items()]
        if len(both) > 1:
            moves.append(
                (f"with all controls at their {word} values", {name: ends[end] for name, ends in both.items()})
            )
    with _same_numbers():
        for words, values in moves:
            yield from _move(explorer, words, values)


def _move(explorer: Any, words: str, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    global _pictures
    before = {name: control.value for name, control in explorer.controls.items()}
    try:
        try:
            for name, value in values.items():
                explorer.controls[name].value = value
            _pictures += 1
            if not explorer._still.startswith(PNG) or "data:image/png" not in explorer.picture:
                raise ValueError("there is no picture")
            if not explorer.words(**explorer.values).strip():
                raise ValueError("there are no words for it")
        finally:
            for name in values:
                with contextlib.suppress(Exception):  # the way back is judged when it is the way there
                    explorer.controls[name].value = before[name]
    except Exception as error:
        yield {
            "where": words,
            "values": {name: values.get(name, before[name]) for name in before},
            "error": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }


def _ends(control: Any) -> tuple[Any, Any] | None:
    """The lowest and the highest value of a control, or None if it has no such thing."""
    if hasattr(control, "options"):
        values = [each[1] if isinstance(each, tuple) and len(each) == 2 else each for each in control.options]
        return (values[0], values[-1]) if values else None
    if hasattr(control, "min") and hasattr(control, "max"):
        low, high = control.min, control.max
        if hasattr(control, "base"):
            low, high = control.base**low, control.base**high
        return ((low, low), (high, high)) if isinstance(control.value, tuple) else (low, high)
    return (False, True) if isinstance(control.value, bool) else None


@contextlib.contextmanager
def _same_numbers() -> Iterator[None]:
    """Whatever is drawn at random meanwhile, the notebook's next numbers are the same."""
    import numpy as np
    import torch

    state, arrays, tensors = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(arrays)
        torch.set_rng_state(tensors)
