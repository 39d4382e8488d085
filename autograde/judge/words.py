"""A lost point in words, for the instructor: the probe that was called, its inputs, what was expected, what came."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from autograde.judge.record import Record
from course_utils import wire

#: Characters of one value; a tensor is cut in its middle long before.
TEXT_LIMIT = 4_000


def in_words(record: Record) -> dict[str, Any]:
    """The last call of a failed test as text, ready for JSON: nothing that a student made leaves as an object."""
    found: dict[str, Any] = {"calls": len(record.calls), "place": list(record.place), "error": record.error}
    if record.calls:
        call = record.calls[-1]
        inputs = [written(value) for value in wire.decode(call.args)]
        came = f"raised {call.kinds[0]}: {call.message}" if call.result is None else written(wire.decode(call.result))
        found |= {"probe": call.probe, "inputs": inputs, "came": came[:TEXT_LIMIT], "hidden": call.hidden}
    if record.values is not None:
        found |= {"expected": written(record.values[0]), "got": written(record.values[1])}
    return found


def written(value: Any) -> str:
    """A value as text: a tensor or array with its shape and numbers, of large ones those at the corners."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(item) for item in value[:20])}{', …' if len(value) > 20 else ''}]"[:TEXT_LIMIT]
    if isinstance(value, dict):
        items = list(value.items())
        words = ", ".join(f"{key!s:.40}: {written(item)}" for key, item in items[:20])
        return f"{{{words}{', …' if len(items) > 20 else ''}}}"[:TEXT_LIMIT]
    if not isinstance(value, torch.Tensor | np.ndarray):
        return repr(value)[:TEXT_LIMIT]
    head = f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    if isinstance(value, torch.Tensor):
        if value.is_meta:
            return f"{head}, no numbers"
        value = value.to(torch.float32).numpy() if value.dtype == torch.bfloat16 else value.numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns about infinities and NaN among what it prints
        return f"{head}\n{np.array2string(value, precision=4, suppress_small=True, threshold=200)}"[:TEXT_LIMIT]
