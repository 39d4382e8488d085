"""Rules of the text: its header, the metadata of its cells, ids and points, and how Jupytext reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_text import HEADER, Case, broken, change, findings, line_of, marks, write_lesson

from autograde.errors import BuildError
from autograde.rules import read_text

TEST_SCALE = marks("test_Scale", grade=True, points=9)


def header(name: str, lines: str, *expected: tuple[str, str]) -> Case:
    """A lesson with more lines in its YAML header."""
    return broken(name, "# jupyter:\n", f"# jupyter:\n{lines}\n", *expected)


METADATA = [
    broken(
        "doubled id",
        '"grade_id": "test_Scale"',
        '"grade_id": "test_mean"',
        ('"points": 9', "`test_mean` stands on line"),
    ),
    broken("test without solution", '"grade_id": "Scale"', '"grade_id": "Skale"', (TEST_SCALE, "no solution cell")),
    broken("test named otherwise", '"test_Scale"', '"Scale_test"', ('"Scale_test"', "does not say what it tests")),
    broken(
        "solution named like a test",
        '"grade_id": "Scale"',
        '"grade_id": "test_S"',
        ('"test_S"', "named like a test"),
        (TEST_SCALE, "no solution cell `Scale`"),
    ),
    broken("sum of points", '"points": 8', '"points": 7', ("# ---", "add up to 19, not to 20")),
    header("declared sum", "#   course:\n#     points: 11", ("points: 11", "add up to 20, not to 11")),
    header("declared sum is a word", "#   course:\n#     points: many", ("points: many", "no number above 0")),
    header("unknown key", "#   course:\n#     point: 20", ("point: 20", "no key `point`")),
    header("no mapping", "#   course: 20", ("course: 20", "no mapping")),
    header("unknown limit", "#   course:\n#     seconds: {cel: 3}", ("seconds:", "unknown limits")),
    header("limit of zero", "#   course:\n#     seconds: {cell: 0}", ("seconds:", "cell is no number above 0")),
    broken(
        "version of Jupytext",
        "format_version: '1.3'",
        "format_version: '1.3'\n#       jupytext_version: 1.16.1",
        ("jupytext_version: 1.16.1", "changes with every machine"),
    ),
    broken("unknown room", 'room="both"', 'room="judge"', ('room="judge"', "room='judge' is not valid")),
    broken("room of a test", TEST_SCALE, f'room="both" {TEST_SCALE}', (TEST_SCALE, "is not valid here")),
    broken(
        "room of prose",
        "# %% [markdown]\n# ## 1.",
        '# %% [markdown] room="both"\n# ## 1.',
        ("[markdown] room", "valid"),
    ),
    broken("misspelt", 'room="both"', 'rooms="both"', ('rooms="both"', "Write `room`")),
    broken("missing comma", '"points": 9,', '"points": 9', ('"points": 9', "no JSON")),
    broken("no points", '"points": 9, ', "", ('"test_Scale"', "does not have points")),
    broken("points in words", '"points": 9', '"points": "9"', ('"points": "9"', "not of type 'number'")),
    broken("points are NaN", '"points": 9', '"points": NaN', ('"points": NaN', "no finite number")),
    broken("id with a space", '"grade_id": "setup"', '"grade_id": "set up"', ('"set up"', "does not match")),
    broken("long id", '"grade_id": "setup"', f'"grade_id": "{"a" * 57}"', ("a" * 57, "longer than 56")),
    broken("old schema", '"setup", "schema_version": 3', '"setup", "schema_version": 1', ('version": 1', "version: 3")),
    broken("task cell", '"task": false, "points": 3', '"task": true, "points": 3', ('"task": true', "a task cell")),
]


@pytest.mark.parametrize("case", METADATA, ids=lambda case: case.name)
def test_a_broken_lesson_is_refused_on_the_right_line(case: Case, tmp_path: Path) -> None:
    case.verify(tmp_path)


def test_a_filter_that_loses_the_room_is_refused(tmp_path: Path) -> None:
    # Jupytext itself adds to the filter what stands in the text; what is excluded by name is lost
    text = change("#     notebook_metadata_filter: course,-", "#     notebook_metadata_filter: -course,-")
    text = change("# jupyter:\n", "# jupyter:\n#   course:\n#     points: 20\n", text)
    [finding] = findings(tmp_path, text)
    assert (finding.line, "lose `course`" in finding.reason) == (line_of("notebook_metadata_filter", text), True)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("# %%\n# cat sits on the mat\nx = 1\n", 2, "reads this comment as the command `cat sits on the mat`"),
        ("# %%\nx = 1\n\n# %%\nx = '\x0c'\n", 5, "ends it for some programs"),
        (HEADER.replace("format_name: percent", "format_name: light") + "x = 1\n", 1, "format_name: light"),
        (HEADER.replace("jupytext:", "jupytext: ]"), 1, "Jupytext cannot read"),
        (
            "# ---\n# title: A\n# jupyter:\n#   course:\n#     points: 1\n# ---\n\n# %%\nx = 1\n",
            1,
            "hold only `jupyter:`",
        ),
        (f"{HEADER}\n\n# %%\nx = 1\n", HEADER.count("\n") + 1, "one empty line below the header"),
    ],
    ids=["shell word", "form feed", "light format", "YAML", "title", "empty lines"],
)
def test_a_text_that_jupytext_reads_otherwise_is_refused(text: str, line: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"07_tiny\.py") as caught:
        read_text(write_lesson(tmp_path, text), tmp_path)
    assert str(caught.value).startswith(f"source/07_tiny.py:{line}: ")
    assert words in str(caught.value)


def test_a_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = write_lesson(tmp_path)
    path.write_bytes(b"# %%\nx = '\xe9'\n")
    with pytest.raises(BuildError, match=r"07_tiny.py:1: byte 10 is not UTF-8"):
        read_text(path, tmp_path)
