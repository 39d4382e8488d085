"""A build that is refused says why, with file and line, and changes nothing; no answer gets past it to students."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from lesson_text import GOOD, IN_CLASS, NAME, change, contents, line_of, refusal, tiny_course, write_lesson

from autograde.build import build, check_built
from autograde.errors import BuildError

TOTAL = "total = sum(number for number in x if number is not None)"


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


def test_a_broken_lesson_leaves_everything_in_place(copy: Path) -> None:
    write_lesson(copy, change("check.normal((5, 4))", "check.hidden((5, 4))", GOOD.replace("all.", "ALL.")))
    write_lesson(copy, GOOD.replace("Two", "2"), name="08_other")
    write_lesson(copy, "# %%\nx = (\n", name="08_class", folder="notebooks")
    before = contents(copy)
    reasons = refusal(copy).split("\n")
    assert contents(copy) == before
    assert [reason.split(": ")[0] for reason in reasons] == [
        f"source/{NAME}.py:{line_of('check.hidden((5, 4))', change('check.normal((5, 4))', 'check.hidden((5, 4))'))}",
        "notebooks/08_class.py:2",
    ]
    with pytest.raises(BuildError):
        check_built(copy)


def test_a_failure_while_moving_brings_the_old_release_back(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(copy / "release")
    write_lesson(copy, change("# That was all.", "# That is all."))
    rename = Path.rename

    def fail(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            raise OSError("disk full")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="disk full"):
        build(copy)
    assert {name: data for name, data in contents(copy / "release").items() if not name.startswith(".")} == before
    monkeypatch.undo()
    build(copy)
    assert check_built(copy) == []


def test_what_nbgrader_refuses_is_refused_in_one_line(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nbgrader.preprocessors import ClearSolutions

    def fail(*args: object) -> None:
        raise RuntimeError("no stub today")

    monkeypatch.setattr(ClearSolutions, "preprocess", fail)
    before = contents(copy)
    assert refusal(copy) == f"source/{NAME}.py:1: nbgrader cannot make the release: RuntimeError: no stub today"
    assert contents(copy) == before


@pytest.mark.parametrize(
    ("path", "content", "where"),
    [
        (f"source/{NAME}/hints.txt", f"Try {TOTAL}", f"release/{NAME}/hints.txt"),
        (f"source/{NAME}/helper.py", f"def f(x):\n    {TOTAL}\n", f"release/{NAME}/helper.py"),
        ("course_utils/data.py", f"def f(x):\n    {TOTAL}\n", "course_utils/data.py"),
        (f"notebooks/{NAME}.py", f"{IN_CLASS}\nx = [1]\n{TOTAL}\n", f"notebooks/{NAME}.py"),
        ("notebooks/live/old.ipynb", json.dumps(nbformat.v4.new_notebook(metadata={"a": TOTAL})), "notebooks/live/old"),
        ("release/06_old/06_old.ipynb", f"no notebook {TOTAL}", "release/06_old/06_old.ipynb"),
    ],
)
def test_a_surviving_solution_is_refused(path: str, content: str, where: str, copy: Path) -> None:
    (copy / path).parent.mkdir(parents=True, exist_ok=True)
    (copy / path).write_text(content)
    before = contents(copy)
    reasons = refusal(copy)
    assert f"source/{NAME}.py:{line_of(TOTAL, GOOD)}: " in reasons
    assert f"survives in {where}" in reasons
    assert contents(copy) == before


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("# ## 1. The mean", f"# ## 1. The mean\n#\n# Write `{TOTAL}`.", "cell 3,"),
        ("print(sum(numbers))", TOTAL.replace(" x ", " numbers "), ""),
        ("print(sum(numbers))", f"x = numbers\n{TOTAL}", "cell 4,"),
        ("# %%\n# %config", f'# %% hint="{TOTAL}"\n# %config', "cell 4 (its metadata"),
        ('"""The mean of a list of numbers."""', f'"""The mean.\n\n    {TOTAL}\n    """', "cell 5,"),
    ],
    ids=["prose", "other names", "code", "metadata", "docstring"],
)
def test_a_solution_elsewhere_in_the_lesson_is_refused(old: str, new: str, where: str, copy: Path) -> None:
    write_lesson(copy, change(old, new))
    if not where:
        build(copy)
        return
    assert f"survives in release/{NAME}/{NAME}.ipynb, {where}" in refusal(copy)


def test_files_that_nbgrader_would_copy_are_looked_at(copy: Path, tmp_path: Path) -> None:
    (copy / "source" / NAME / "old.ipynb").write_text("{}")
    (copy / "source" / NAME / "secret.txt").symlink_to("/etc/hostname")
    write_lesson(copy, name="with+plus")
    assert refusal(copy).split("\n") == [
        f"source/{NAME}/old.ipynb:1: `{NAME}` is one notebook and this is a second. Move it elsewhere.",
        f"source/{NAME}/secret.txt:1: a link would put a file from elsewhere into the release. Copy the file here.",
        "source/with+plus.py:1: nbgrader cannot use the name `with+plus`. Use letters, digits, `_` and `-`.",
    ]


def test_an_unknown_lesson_is_named(built: Path, tmp_path: Path) -> None:
    assert refusal(built, "09_no") == f"there is no source/09_no.py. The lessons of {built} are: {NAME}."
    assert "there is no lesson" in refusal(tmp_path)
