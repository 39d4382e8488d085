"""The text of a tiny lesson that keeps every rule, and ways to break it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograde.build import build
from autograde.errors import BuildError
from autograde.rules import Finding, check_homework, check_in_class, read_text

NAME = "07_tiny"

HEADER = """\
# ---
# jupyter:
#   jupytext:
#     notebook_metadata_filter: course,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

"""


def marks(grade_id: str, *, grade: bool = False, solution: bool = False, points: float | None = None) -> str:
    """The nbgrader metadata of a cell as it stands in its header."""
    known = {"grade": grade, "solution": solution, "locked": not solution, "task": False}
    more = {} if points is None else {"points": points}
    return "nbgrader=" + json.dumps({**known, **more, "grade_id": grade_id, "schema_version": 3})


GOOD = f'''{HEADER}# %% [markdown]
# # A tiny lesson
#
# Two exercises and a question.

# %% room="both" {marks("setup")}
import math

import torch

from course_utils import check

torch.manual_seed(3)
WEIGHT = torch.randn(4)

# %% [markdown]
# ## 1. The mean

# %%
# %config InlineBackend.figure_format = "retina"
numbers = [1, 2, 3]
print(sum(numbers))

# %% {marks("mean", solution=True)}
def mean(x):
    """The mean of a list of numbers."""
    if not x:  # given
        raise ValueError("an empty list has no mean")  # given
    ### BEGIN SOLUTION
    total = sum(number for number in x if number is not None)
    return total / len(x)
    ### END SOLUTION


# %% {marks("test_mean", grade=True, points=8)}
@check.probe
def observe(x):
    before = list(x)
    return mean(x), x == before


got, untouched = observe([1.0, 2.0, 6.0])
check.close(got, 3.0, "the mean of 1, 2 and 6")
check.that(untouched, "mean leaves its input as it was")
check.raises("ValueError", observe, [])
### BEGIN HIDDEN TESTS
x = check.hidden((7,)).tolist()
got, untouched = observe(x)
check.close(got, math.fsum(x) / 7, "the mean of seven numbers", likely={{"divided by n - 1": math.fsum(x) / 6}})
points = 8 if untouched else 5
check.award(points)
### END HIDDEN TESTS

# %% [markdown]
# ## 2. A layer

# %% {marks("Scale", solution=True)}
class Scale(torch.nn.Module):
    """Multiplies by learned weights, one for each of n features."""

    def __init__(self, n):
        super().__init__()
        ### BEGIN SOLUTION
        self.weight = torch.nn.Parameter(torch.ones(n))
        ### END SOLUTION

    def forward(self, x):
        """From x (..., n) to the same shape."""
        ### BEGIN SOLUTION
        return x.mul(self.weight)
        ### END SOLUTION


# %% {marks("test_Scale", grade=True, points=9)}
@check.probe
def scaled(x, weight):
    layer = Scale(x.shape[-1])
    with torch.no_grad():
        layer.weight.copy_(weight)
    return layer(x)


x = check.normal((5, 4))
check.close(scaled(x, WEIGHT), x * WEIGHT, "x times the weights")
### BEGIN HIDDEN TESTS
x, weight = check.hidden((3, 2, 6), (6,))
check.close(scaled(x, weight), torch.einsum("abc,c->abc", x, weight), "x times other weights")
### END HIDDEN TESTS

# %% [markdown]
# ## 3. In your words
#
# Why is the mean of an empty list undefined?

# %% [markdown] {marks("why", grade=True, solution=True, points=3)}
# Because nothing divided by nothing has no value that all could agree on.

# %% [markdown]
# That was all.
'''

IN_CLASS = f"""{HEADER}# %% [markdown]
# # In class

# %%
# %matplotlib inline
import torch

print(torch.ones(3))
"""


def write_lesson(root: Path, text: str = GOOD, *, name: str = NAME, folder: str = "source") -> Path:
    """Write a lesson's text into the course folder `root`."""
    path = root / folder / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def change(old: str, new: str, text: str = GOOD) -> str:
    """The lesson with one passage replaced, which must be in it once."""
    assert text.count(old) == 1, f"{text.count(old)} times in the lesson: {old}"
    return text.replace(old, new)


def line_of(snippet: str, text: str, *, nth: int = 1) -> int:
    """The number of the nth line of `text` that holds `snippet`."""
    found = [number for number, line in enumerate(text.split("\n"), 1) if snippet in line]
    assert len(found) >= nth, f"not in the lesson: {snippet}"
    return found[nth - 1]


def findings(root: Path, text: str, *, folder: str = "source") -> list[Finding]:
    """What the rules say of a lesson's text."""
    lesson = read_text(write_lesson(root, text, folder=folder), root)
    return (check_homework if folder == "source" else check_in_class)(lesson)


@dataclass
class Case:
    """A lesson that breaks rules, and each finding that must come of it: the text of its line, words of its reason."""

    name: str
    text: str
    expected: tuple[tuple[str, str], ...]

    def verify(self, root: Path) -> None:
        """These findings and no others, each on its line."""
        found = [(finding.line, finding.reason) for finding in findings(root, self.text)]
        lines = self.text.split("\n")
        for (line, reason), (snippet, words) in zip(found, self.expected, strict=False):
            assert snippet in lines[line - 1], f"line {line}, {lines[line - 1]!r}: {reason}"
            assert words in reason
        assert len(found) == len(self.expected), found


def broken(name: str, old: str, new: str, *expected: tuple[str, str], text: str = GOOD) -> Case:
    """A lesson with one passage replaced, and what is found of it in the order of the lines."""
    return Case(name, change(old, new, text), expected)


def tiny_course(root: Path, text: str = GOOD) -> Path:
    """A course folder with one lesson, its in-class notebook, a data file and a module for students."""
    write_lesson(root, text)
    write_lesson(root, IN_CLASS, folder="notebooks")
    (root / "source" / NAME).mkdir(exist_ok=True)
    (root / "source" / NAME / "measured.csv").write_text("a,b\n1,2\n")
    (root / "course_utils").mkdir(exist_ok=True)
    (root / "course_utils" / "data.py").write_text('"""Data."""\n')
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a course."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refusal(root: Path, name: str | None = None) -> str:
    """The message of a build that must be refused."""
    with pytest.raises(BuildError) as caught:
        build(root, name)
    return str(caught.value)
