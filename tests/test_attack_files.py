"""The corpus of hostile code is sound: every file loads and compiles, and every honest twin gives the right answer."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from damage import DAMAGES, FOLDERS
from IPython.core.inputtransformer2 import TransformerManager

from tests.attacks import ESCAPED, FOLDER, GROUPS, STOCK, AttackCell, load_attack, load_attacks, plant

FILES = sorted(path for group in GROUPS for path in (FOLDER / group).glob("*.py"))
ROOT = Path(__file__).resolve().parents[1]
HEAD = '"""Words."""\n# exercise: scores\n# expect: zero\n'
CELL, TWIN = "\n# %% scores\nx = 1\n", "\n# %% twin: scores\nx = 2\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_file_is_sound(path: Path) -> None:
    attack = load_attack(path)
    assert len(attack.doc) > 20, "the docstring does not describe the attack"
    for cell in (*attack.cells, *attack.twin):
        assert cell.source.strip(), f"the cell {cell.place} is empty"
        code = TransformerManager().transform_cell(cell.source)
        if attack.key == "break/syntax_error" and cell.place == "scores":
            with pytest.raises(SyntaxError):
                compile(code, str(path), "exec")
        else:
            compile(code, str(path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("group", ["escape", "read"])
def test_a_success_can_be_seen(group: str) -> None:
    """An attack that reaches something says so, or leaves a trace that a run looks for; the others are listed."""
    quiet = {"escape/many_files", "escape/leftovers", "escape/script_in_words"}
    for attack in load_attacks(group):
        source = "".join(cell.source for cell in attack.cells)
        assert ESCAPED in source or attack.hides or attack.key in quiet, attack.key


def test_corpus_is_large_enough_and_complete() -> None:
    attacks = load_attacks()
    assert len(attacks) >= 45
    assert {attack.group for attack in attacks} == set(GROUPS)
    assert set(STOCK) <= {attack.key for attack in attacks}
    assert len(STOCK) == 8 + 3


def kinds() -> dict[str, tuple[list[str], list[str]]]:
    """The table in KINDS.md: kind -> what covers it, and those beyond the known members."""
    rows = [line.strip("|\n ").split(" | ") for line in (FOLDER / "KINDS.md").read_text().splitlines() if "| " in line]
    return {row[0]: (_named(row[1]), _named(row[2])) for row in rows if row[0] != "kind"}


def _named(text: str) -> list[str]:
    return text.replace("damage ", "damage:").split()


def test_every_kind_has_a_member_that_nobody_had_seen() -> None:
    table = kinds()
    assert len(table) >= 40
    for kind, (covered, beyond) in table.items():
        assert covered, kind
        assert set(beyond) - set(covered), kind


def test_the_table_of_kinds_names_all_that_is_there_and_nothing_else() -> None:
    named = {name for columns in kinds().values() for column in columns for name in column}
    there = {attack.key for attack in load_attacks()} | {f"damage:{name}" for name in (*DAMAGES, *FOLDERS)}
    assert {name for name in named if "::" not in name} == there
    for test in named - there:
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(), test


@pytest.mark.parametrize("group", GROUPS)
def test_twins_give_the_right_answer(group: str) -> None:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    command = [sys.executable, "-m", "tests.attacks.twins", group]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# exercise: scores\n# expect: zero\n" + CELL + TWIN, "docstring is missing"),
        ('"""Words."""\n# expect: zero\n' + CELL + TWIN, "'exercise'"),
        (HEAD.replace("zero", "full") + CELL + TWIN, "'full' is none of"),
        (HEAD + "# colour: blue\n" + CELL + TWIN, "'colour'"),
        (HEAD + "# expect: zero\n" + CELL + TWIN, "twice"),
        (HEAD + CELL, "twin is missing"),
        (HEAD + TWIN, "no hostile cell"),
        (HEAD + "# spares: scores\n" + CELL + TWIN, "attacked and spared"),
        (HEAD + "# spares: pooling\n" + CELL + TWIN, "'pooling' is none of"),
        (HEAD + "\n# %% pooling\nx = 1\n" + TWIN, "pooling is no exercise"),
        (HEAD + "\n# %% free somewhere\nx = 1\n" + TWIN, "is no cell header"),
        (HEAD + "\n# %% free after setup\nx = 1\n" + TWIN, "with a wrong answer"),
        (HEAD.replace("scores", "none") + CELL + TWIN, "needs an exercise"),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "forge" / "broken.py"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ValueError, match=reason) as caught:
        load_attack(path)
    assert str(path) in str(caught.value)


def test_plant_puts_cells_where_they_say() -> None:
    def cell(name: str) -> nbformat.NotebookNode:
        return nbformat.v4.new_code_cell(name, metadata={"nbgrader": {"grade_id": name}})

    notebook = nbformat.v4.new_notebook(cells=[cell("setup"), cell("scores"), cell("test_scores")])
    places = ["scores", "free after setup", "free after setup", "free before test_scores", "free at end"]
    planted = plant(notebook, *(AttackCell(place, f"{number}") for number, place in enumerate(places)))
    assert [cell.source for cell in planted.cells] == ["setup", "1", "2", "0", "3", "test_scores", "4"]
    assert [cell.source for cell in notebook.cells] == ["setup", "scores", "test_scores"]
    nbformat.validate(planted)
    with pytest.raises(ValueError, match="no cell test_attention"):
        plant(notebook, AttackCell("free after test_attention", "x"))
