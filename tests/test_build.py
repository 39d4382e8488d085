"""Building: the same bytes everywhere, whole or not at all, and nothing in a release that students must not read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from lesson_text import GOOD, HEADER, NAME, change, contents, tiny_course, write_lesson
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import compute_checksum

from autograde.build import build, check_built
from autograde.lesson import Lesson

TOTAL = "total = sum(number for number in x if number is not None)"
BUILD = "import sys, pathlib; from autograde.build import build; build(pathlib.Path(sys.argv[1]))"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that has been built; tests that change it take a copy."""
    root = tiny_course(tmp_path_factory.mktemp("built"))
    build(root)
    return root


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "course")
    return tmp_path / "course"


def released(root: Path) -> nbformat.NotebookNode:
    return nbformat.read(root / "release" / NAME / f"{NAME}.ipynb", as_version=4)


def test_a_build_makes_these_files(built: Path) -> None:
    notebooks = [f"notebooks/{NAME}.ipynb", f"release/{NAME}/{NAME}.ipynb", f"source/{NAME}/{NAME}.ipynb"]
    assert build(built) == [built / path for path in notebooks]
    made = set(contents(built)) - {f"source/{NAME}.py", f"notebooks/{NAME}.py", "course_utils/data.py"}
    assert made == {*notebooks, f"release/{NAME}/measured.csv", f"source/{NAME}/measured.csv"}  # and no gradebook


def test_the_release_is_what_students_may_read(built: Path) -> None:
    release = released(built)
    cells = {cell.id: cell for cell in release.cells}
    assert "### BEGIN" not in json.dumps(release)
    assert cells["mean"].source.endswith("    # YOUR CODE HERE\n    raise NotImplementedError()")
    assert "raise ValueError" in cells["mean"].source
    assert "check.hidden" not in cells["test_mean"].source
    assert "check.raises" in cells["test_mean"].source
    assert cells["why"].source == "YOUR ANSWER HERE"
    assert cells["setup"].metadata.room == "both"
    assert cells["test_mean"].metadata.editable is False
    for cell in release.cells:
        if "nbgrader" in cell.metadata:
            assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


def test_every_notebook_is_strictly_valid_and_holds_nothing_of_this_machine(built: Path) -> None:
    for path in built.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook, version=4, version_minor=5, relax_add_props=False)
        MetadataValidator().validate_nb(notebook)
        assert notebook.metadata.kernelspec == {"display_name": "Python 3", "language": "python", "name": "python3"}
        assert "jupytext" not in notebook.metadata
        assert path.read_text(encoding="utf-8").endswith("}\n")
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert all(cell.execution_count is None and cell.outputs == [] for cell in code)
        assert not any(key.startswith("lines_to") for cell in notebook.cells for key in cell.metadata)


def test_cell_ids_come_from_the_grade_id_or_the_place(built: Path, tmp_path: Path) -> None:
    ids = [cell.id for cell in released(built).cells]
    assert ids == [
        *("start--1", "setup", "setup--1", "setup--2", "mean", "test_mean", "test_mean--1"),
        *("Scale", "test_Scale", "test_Scale--1", "why", "why--1"),
    ]
    build(tiny_course(tmp_path, change("# %% [markdown]\n# ## 2. A", "# %%\n# new\n\n# %% [markdown]\n# ## 2. A")))
    assert [cell.id for cell in released(tmp_path).cells if cell.id not in ids] == ["test_mean--2"]
    taken = GOOD.replace('"grade_id": "Scale"', '"grade_id": "setup--1"').replace("test_Scale", "test_setup--1")
    build(tiny_course(tmp_path, taken))
    assert [cell.id for cell in released(tmp_path).cells][:8] == [
        *("start--1", "setup", "setup--2", "setup--3", "mean", "test_mean", "test_mean--1", "setup--1")
    ]


def test_empty_lines_between_cells_do_not_matter(built: Path, tmp_path: Path) -> None:
    first, *rest = GOOD.split("\n\n# %%")
    build(tiny_course(tmp_path, first + "\n\n# %%" + "\n\n   \n\n\n# %%".join(rest)))
    changed = [path for path, data in contents(tmp_path).items() if contents(built)[path] != data]
    assert changed == [f"source/{NAME}.py"]


def test_the_grader_reads_what_was_built(built: Path) -> None:
    lesson = Lesson.load(built, NAME)
    assert [cell.grade_id for cell in lesson.tests] == ["test_mean", "test_Scale"]
    assert [cell.kind for cell in lesson.cells][:4] == ["prose", "setup", "prose", "free"]
    assert "NotImplementedError" in str(lesson.released_source("mean"))


def test_building_again_gives_the_same_bytes(copy: Path) -> None:
    before = contents(copy)
    times = {path: path.stat().st_mtime_ns for path in copy.rglob("*") if path.is_file()}
    build(copy)
    assert contents(copy) == before
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*") if path.is_file()} == times  # nothing rewritten


def test_another_process_in_another_folder_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    tiny_course(tmp_path / "there")
    (tmp_path / "elsewhere").mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "HOME": str(tmp_path / "elsewhere"), "TZ": "Asia/Tokyo"}
    command = [sys.executable, "-W", "error", "-c", BUILD, "../there"]
    subprocess.run(command, cwd=tmp_path / "elsewhere", env=environment, check=True, timeout=120)
    assert contents(tmp_path / "there") == contents(built)


def test_configuration_of_this_machine_has_no_say(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(copy / "release")
    config = "c.ClearSolutions.code_stub = {'python': 'pass'}\nc.CourseDirectory.root = '/nowhere'\n"
    (copy / "nbgrader_config.py").write_text(f"c = get_config()\n{config}")
    (copy / "jupytext.toml").write_text('cell_metadata_filter = "-all"\n')
    monkeypatch.chdir(copy)
    build(copy)
    assert contents(copy / "release") == before


def test_a_gradebook_is_not_touched(copy: Path) -> None:
    (copy / "gradebook.db").write_bytes(b"not even a database")
    write_lesson(copy, change("# That was all.", "# That is all."))
    build(copy)
    assert (copy / "gradebook.db").read_bytes() == b"not even a database"


def test_a_fresh_build_is_fresh(built: Path) -> None:
    before = contents(built)
    assert check_built(built) == []
    assert contents(built) == before


def test_a_clone_without_ignored_notebooks_is_fresh(copy: Path) -> None:
    (copy / "notebooks" / f"{NAME}.ipynb").unlink()
    (copy / "source" / NAME / f"{NAME}.ipynb").unlink()
    assert check_built(copy) == []


def test_whatever_is_stale_is_said(copy: Path) -> None:
    release = copy / "release" / NAME
    path = release / f"{NAME}.ipynb"
    path.write_text(path.read_text().replace("Two exercises", "Three exercises"))
    (release / "measured.csv").unlink()
    (release / "more.csv").write_text("")
    (release / ".ipynb_checkpoints").mkdir()
    (release / ".ipynb_checkpoints" / "x.ipynb").write_text("")
    (copy / "source" / NAME / f"{NAME}.ipynb").write_text("{}")
    (copy / "notebooks" / f"{NAME}.ipynb").write_text("{}")
    (copy / "release" / "06_gone").mkdir()
    run = f"Run `autograde build {NAME}`."
    assert check_built(copy) == [
        f"release/{NAME}/{NAME}.ipynb is stale. {run}",
        f"release/{NAME}/measured.csv is missing. {run}",
        f"release/{NAME}/more.csv is not part of the lesson. {run}",
        f"source/{NAME}/{NAME}.ipynb is stale. {run}",
        f"notebooks/{NAME}.ipynb is stale. {run}",
        "release/06_gone has no source/06_gone.py. Delete it.",
    ]
    build(copy)
    assert check_built(copy, NAME) == []


def test_changed_text_is_stale_until_it_is_built(copy: Path) -> None:
    write_lesson(copy, change("# That was all.", "# That is all."))
    assert [line.split(" is ")[0] for line in check_built(copy)] == [
        f"release/{NAME}/{NAME}.ipynb",
        f"source/{NAME}/{NAME}.ipynb",
    ]
    build(copy, NAME)
    assert check_built(copy) == []
    assert "That is all." in released(copy).cells[-1].source


def test_saving_from_jupyterlab_keeps_the_text(tmp_path: Path) -> None:
    text = GOOD.replace("# jupyter:\n", "# jupyter:\n#   course:\n#     points: 20\n")
    assert HEADER not in text
    opened = jupytext.reads(text, fmt="py:percent")
    assert jupytext.writes(opened, fmt="py:percent") == text
    # what JupyterLab adds to a notebook that was opened and run does not reach the text
    opened.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    opened.cells[1].metadata["execution"] = {"iopub.status.busy": "2025"}
    opened.cells[1].outputs = [nbformat.v4.new_output("stream", text="hello")]
    assert jupytext.writes(opened, fmt="py:percent") == text


def test_a_built_notebook_survives_the_way_through_jupytext(built: Path) -> None:
    notebook = nbformat.read(built / "source" / NAME / f"{NAME}.ipynb", as_version=4)
    back = jupytext.reads(jupytext.writes(notebook, fmt="py:percent"), fmt="py:percent")
    for old, new in zip(notebook.cells, back.cells, strict=True):
        assert (old.cell_type, old.source) == (new.cell_type, new.source)
        assert {key: new.metadata.get(key) for key in ("nbgrader", "room")} == {
            key: old.metadata.get(key) for key in ("nbgrader", "room")
        }
    assert {cell.cell_type for cell in back.cells if "nbgrader" in cell.metadata} == {"code", "markdown"}
