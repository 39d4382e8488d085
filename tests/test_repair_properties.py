"""Whatever is handed in, repair either refuses it in one line or returns a sound notebook, and the same one again."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from damage import write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repair_checks import LESSON, RELEASE, SOLVED, codes, sound

from autograde.errors import UnreadableSubmission
from autograde.repair import repair

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)

IDS = [cell.metadata.nbgrader.grade_id for cell in RELEASE.cells if "nbgrader" in cell.metadata]
TEXTS = [cell.source for cell in [*SOLVED.cells, *RELEASE.cells, *LESSON.notebook.cells]]
WHOLE = write(SOLVED)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(IDS)
junk = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
texts = (
    st.sampled_from(TEXTS) | st.text(max_size=30) | st.sampled_from(["def attention(x):\n    return 1", "Layer = 3"])
)
marks = st.fixed_dictionaries(
    {},
    optional={
        "grade_id": st.sampled_from([*IDS, "other"]) | junk,
        "grade": st.booleans() | junk,
        "solution": st.booleans() | junk,
        "locked": st.booleans() | junk,
        "points": st.integers(0, 200) | junk,
        "schema_version": st.integers(0, 4) | junk,
        "checksum": st.text(max_size=4) | junk,
    },
)
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | junk,
        "metadata": st.fixed_dictionaries({}, optional={"nbgrader": marks | junk, "tags": junk}) | junk,
        "source": texts | st.lists(texts, max_size=3) | junk,
        "id": st.sampled_from(["a", "b", *IDS]) | junk,
        "outputs": junk,
        "attachments": st.dictionaries(st.text(max_size=3), st.dictionaries(st.text(max_size=3), texts)) | junk,
    },
)
notebooks = st.fixed_dictionaries(
    {"cells": st.lists(cells | junk, max_size=12)}, optional={"metadata": junk, "nbformat": junk, "worksheets": junk}
)


def holds(raw: bytes) -> None:
    """The property: one clear line, or a sound notebook that repair leaves as it is, with nothing new to say."""
    try:
        result = repair(raw, LESSON)
    except UnreadableSubmission as error:
        refusal = str(error)
    else:
        refusal = None
    if refusal is not None:
        assert refusal.isprintable()
        return
    sound(result)
    again = repair(write(result.notebook), LESSON)
    assert again.notebook == result.notebook
    assert codes(again) <= codes(result)
    assert not again.missing


@QUICK
@given(st.binary(max_size=200))
def test_random_bytes(raw: bytes) -> None:
    holds(raw)


@QUICK
@given(junk)
def test_random_json(document: Any) -> None:
    holds(write(document))


@QUICK
@given(notebooks)
def test_random_notebooks(document: Any) -> None:
    holds(json.dumps(document).encode())


@QUICK
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 40), st.binary(max_size=3)), min_size=1, max_size=4)
)
def test_damaged_bytes(edits: list[tuple[int, int, bytes]]) -> None:
    raw = WHOLE
    for at, length, new in edits:
        raw = raw[:at] + new + raw[at + length :]
    holds(raw)


@QUICK
@given(st.integers(0, len(WHOLE)))
def test_cut_anywhere(at: int) -> None:
    holds(WHOLE[:at])


Edit = tuple[str, int, int, Any]


def delete(cells: list[Any], at: int, to: int, value: Any) -> None:
    del cells[at]


def copy(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells.insert(to, deepcopy(cells[at]))


def move(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells.insert(to, cells.pop(at))


def split(cells: list[Any], at: int, to: int, value: Any) -> None:
    half = deepcopy(cells[at])
    lines = half["source"].split("\n")
    half["source"], cells[at]["source"] = "\n".join(lines[: to % len(lines)]), "\n".join(lines[to % len(lines) :])
    cells.insert(at, half)


def merge(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells[at]["source"] += "\n" + cells.pop(to % len(cells))["source"] if len(cells) > 1 and at < len(cells) - 1 else ""


def exchange_marks(cells: list[Any], at: int, to: int, value: Any) -> None:
    one, two = cells[at], cells[to % len(cells)]
    one["metadata"], two["metadata"] = two["metadata"], one["metadata"]


def forget(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells[at]["metadata"] = {}


def forget_all(cells: list[Any], at: int, to: int, value: Any) -> None:
    for cell in cells:
        cell["metadata"] = {}


def retype(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells[at]["cell_type"] = ("code", "markdown", "raw")[to % 3]


def rewrite(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells[at]["source"] = value


def stub(cells: list[Any], at: int, to: int, value: Any) -> None:
    cells[at]["source"] = RELEASE.cells[at % len(RELEASE.cells)].source


EDITS: dict[str, Callable[[list[Any], int, int, Any], None]] = {
    each.__name__: each
    for each in (delete, copy, move, split, merge, exchange_marks, forget, forget_all, retype, rewrite, stub)
}


@settings(QUICK, max_examples=150)
@given(
    st.sampled_from([SOLVED, RELEASE]),
    st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 40), st.integers(0, 40), texts), max_size=8),
)
def test_edited_cells(start: Any, edits: list[Edit]) -> None:
    notebook = deepcopy(start)
    for name, at, to, value in edits:
        if notebook.cells:
            EDITS[name](notebook.cells, at % len(notebook.cells), to % (len(notebook.cells) + 1), value)
    holds(write(notebook))
