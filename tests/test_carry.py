"""Carrying work into a corrected release: nothing of the student's is lost, nothing is overwritten, all is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lesson_text import GOOD, NAME, change, contents, tiny_course
from nbgrader.utils import compute_checksum

from autograde.build import build
from course_utils import carry as module
from course_utils.carry import CarryError, carry

MEAN = 'def mean(x):\n    """Mine."""\n    return sum(x) / len(x)'
CORRECTED = change(
    '"""The mean of a list of numbers."""',
    '"""The mean of numbers, in their unit."""',
    change("# ## 1. The mean", "# ## 1. The mean (corrected)", change("print(sum(numbers))", "print(max(numbers))")),
)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The release as it was, and with corrections in prose, in a demonstration and in a stub."""
    paths = []
    for text in (GOOD, CORRECTED):
        root = tiny_course(tmp_path_factory.mktemp("course"), text)
        build(root)
        paths.append(root / "release" / NAME / f"{NAME}.ipynb")
    return paths[0], paths[1]


@pytest.fixture
def old(releases: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(releases[0], tmp_path / "old.ipynb"))


@pytest.fixture
def new(releases: tuple[Path, Path], tmp_path: Path) -> Path:
    (tmp_path / "new").mkdir()
    return Path(shutil.copy(releases[1], tmp_path / "new" / f"{NAME}.ipynb"))


def work(path: Path, own: tuple[tuple[str, str], ...] = (), **answers: str) -> None:
    """As a student: write answers, and cells of one's own below the cells with these ids."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    for below, source in own:
        place = [cell.id for cell in notebook.cells].index(below)
        outputs = [nbformat.v4.new_output("stream", text="mine")]
        notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(source, outputs=outputs, execution_count=3))
    nbformat.write(notebook, path)


def cells(path: Path) -> dict[str, Any]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook, version=4, version_minor=5, relax_add_props=False)
    return {cell.id: cell for cell in notebook.cells}


def test_answers_go_to_their_exercises_and_all_else_is_new(old: Path, new: Path, capsys: Any) -> None:
    work(old, mean=MEAN, why="Since nothing\nis nothing.")
    before = contents(old.parent)
    report = carry(old, new)
    assert capsys.readouterr().out == f"{report}\n"
    assert {path: data for path, data in contents(old.parent).items() if path in before} == before
    result, released = cells(report.path), cells(new)
    assert report.path == new.with_name(f"{NAME}.carried.ipynb")
    assert result["mean"].source == MEAN
    assert result["why"].source == "Since nothing\nis nothing."
    assert {name: cell for name, cell in result.items() if name not in ("mean", "why")} == {
        name: cell for name, cell in released.items() if name not in ("mean", "why")
    }
    assert result["mean"].metadata == released["mean"].metadata
    assert (report.carried, report.untouched, report.changed) == (["mean", "why"], ["Scale"], ["mean"])
    assert "Look at the new text of mean" in str(report)
    assert "Code cells of the course that differ (old notebook, cell 4) are the new ones." in str(report)


def test_an_untouched_stub_is_replaced_by_the_corrected_one(old: Path, new: Path) -> None:
    work(old, why="Because.")
    report = carry(old, new)
    assert "in their unit" in cells(report.path)["mean"].source
    assert report.untouched == ["mean", "Scale"]
    # saved by a program that lost the checksums
    notebook = nbformat.read(old, as_version=4)
    for cell in notebook.cells:
        cell.metadata.get("nbgrader", {}).pop("checksum", None)
    nbformat.write(notebook, old)
    assert carry(old, new, new.parent / "again.ipynb").untouched == ["mean", "Scale"]


def test_cells_of_ones_own_stay_below_what_they_stood_below(old: Path, new: Path) -> None:
    own = (
        ("setup", "first = 1"),
        ("mean", "below_mean_2 = 2"),
        ("mean", "below_mean_1 = 1"),
        ("test_Scale--1", "z = 1"),
    )
    work(old, own, mean=MEAN)
    report = carry(old, new)
    result = list(cells(report.path).values())
    assert report.own == 4
    sources = [cell.source for cell in result]
    ids = [cell.id for cell in result]
    assert sources[ids.index("setup") + 1] == "first = 1"
    assert sources[ids.index("mean") + 1 : ids.index("test_mean")] == ["below_mean_1 = 1", "below_mean_2 = 2"]
    assert sources[ids.index("test_Scale--1") + 1] == "z"
    mine = result[ids.index("setup") + 1]
    assert (mine.outputs, mine.execution_count) == ([], None)


def test_a_copied_answer_is_not_lost(old: Path, new: Path) -> None:
    work(old, mean=MEAN)
    notebook = nbformat.read(old, as_version=4)
    place = [cell.id for cell in notebook.cells].index("mean")
    copied = nbformat.v4.new_code_cell(MEAN.replace("sum(x)", "0"), metadata=notebook.cells[place].metadata)
    notebook.cells.insert(place, copied)
    nbformat.write(notebook, old)
    report = carry(old, new)
    sources = [cell.source for cell in cells(report.path).values()]
    assert sources.count(MEAN) == 1
    assert copied.source in sources
    assert "mean stood in 2 cells" in str(report)
    assert sum("nbgrader" in cell.metadata for cell in cells(report.path).values()) == len(
        [cell for cell in cells(new).values() if "nbgrader" in cell.metadata]
    )


def test_half_an_answer_is_carried_and_said(old: Path, new: Path) -> None:
    half = "def mean(x):\n    total = 0\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    work(old, mean=half)
    report = carry(old, new)
    assert cells(report.path)["mean"].source == half
    assert "mean is not finished" in str(report)


def test_exercises_that_came_and_went_are_said(old: Path, new: Path) -> None:
    work(old, mean=MEAN, Scale="class Scale: pass")
    notebook = nbformat.read(old, as_version=4)
    for cell in notebook.cells:
        if cell.id == "Scale":
            cell.metadata.nbgrader.grade_id = "Gone"
    nbformat.write(notebook, old)
    report = carry(old, new)
    assert "The new release has no exercise Gone." in str(report)
    assert "The old notebook has no cell Scale; it is as released." in str(report)
    assert "class Scale: pass" in [cell.source for cell in cells(report.path).values()]
    assert "NotImplementedError" in cells(report.path)["Scale"].source


def test_an_answer_keeps_the_kind_of_its_cell(old: Path, new: Path) -> None:
    notebook = nbformat.read(old, as_version=4)
    place = [cell.id for cell in notebook.cells].index("why")
    notebook.cells[place] = nbformat.v4.new_code_cell("Because.", metadata=notebook.cells[place].metadata, id="why")
    nbformat.write(notebook, old)
    report = carry(old, new)
    assert (cells(report.path)["why"].cell_type, cells(report.path)["why"].source) == ("markdown", "Because.")
    assert "why was a code cell; it is a markdown cell again." in str(report)


def test_nothing_is_overwritten(old: Path, new: Path) -> None:
    work(old, mean=MEAN)
    into = carry(old, new).path
    before = contents(old.parent)
    for arguments in ((old, new), (old, new, old), (old, new, new), (old, new, into)):
        with pytest.raises(CarryError, match="is there already, and nothing is overwritten"):
            carry(*arguments)
    with pytest.raises(CarryError, match="cannot be written: No such file or directory"):
        carry(old, new, old.parent / "nowhere" / "x.ipynb")
    assert contents(old.parent) == before


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (b"", "is empty. JupyterLab keeps an older copy in the folder .ipynb_checkpoints"),
        (b'{"cells": [{"cell_ty', "is no whole notebook"),
        (b"[]", "is no whole notebook"),
        (b'{"cells": [3], "nbformat": 4}', "is no whole notebook"),
        (b'{"cells": null, "nbformat": 4}', "is no whole notebook"),
        (b'{"worksheets": [], "nbformat": 3}', "has the notebook format 3"),
        (b'<<<<<<< HEAD\n{"nbformat": 4}\n>>>>>>> x\n', "conflict markers of a git merge"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b'{"cells": [], "nbformat": 4}', "have no exercise in common"),
        (None, "cannot be read"),
    ],
)
def test_a_damaged_notebook_is_said_and_nothing_written(old: Path, new: Path, damage: bytes | None, words: str) -> None:
    old.write_bytes(damage) if damage is not None else old.unlink()
    before = contents(old.parent)
    with pytest.raises(CarryError, match=words.replace(".", r"\.")):
        carry(old, new)
    assert contents(old.parent) == before


def test_the_checksum_is_nbgraders(releases: tuple[Path, Path]) -> None:
    marked = 0
    for cell in json.loads(releases[0].read_text())["cells"]:
        cell["source"] = "".join(cell["source"])
        if module._answer_id(cell):
            marked += 1
            assert module._checksum(cell) == compute_checksum(nbformat.from_dict(cell)), cell["source"]
    assert marked == 3
