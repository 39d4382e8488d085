"""The card above each exercise says what its test cell says: its points, and which exercises it uses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jupytext
import pytest
from conftest import FULL, POINTS, WRITTEN

CELLS = jupytext.read(Path(__file__).parents[1] / "source" / "03_qkv.py").cells
MARKS = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in CELLS if "nbgrader" in cell.metadata}


def card(exercise: str) -> list[str]:
    """The row of numbers of an exercise's card: points, minutes, lines, uses, library calls."""
    (text,) = [cell.source for cell in CELLS if re.match(rf"## Exercise \d+ · `{exercise}`", cell.source)]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [column.strip() for column in rows[1].strip("|").split("|")]


@pytest.mark.parametrize("exercise", FULL)
def test_card_and_test_cell_agree(exercise: str) -> None:
    test: Any = MARKS[f"test_{exercise}"].metadata
    points, _, _, uses, _ = card(exercise)
    assert float(points) == test["nbgrader"]["points"] == FULL[exercise]
    assert re.findall(r"`(\w+)`", uses) == test.get("uses", [])


def test_the_top_names_the_sum_of_all_minutes() -> None:
    minutes = []
    for cell in CELLS:
        table = [line.strip("|").split("|") for line in cell.source.splitlines() if line.startswith("| ")]
        if cell.source.startswith("## Exercise"):
            minutes.append(int(table[1][table[0].index(" minutes ")]))
    (named,) = re.findall(r"All exercises together take about (\d+) minutes", "\n".join(cell.source for cell in CELLS))
    assert int(named) == sum(minutes)


def test_all_points_are_twenty() -> None:
    assert sum(FULL.values()) + MARKS[WRITTEN].metadata["nbgrader"]["points"] == POINTS == 20
