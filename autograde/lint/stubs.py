"""A stub is its solution without what stands between the markers, in the text and in the release that students have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat

from autograde.lesson import BEGIN_SOLUTION, END_SOLUTION
from autograde.lint.finding import Found
from autograde.lint.page import Page
from autograde.rules import TextCell
from autograde.rules.python import regions
from autograde.rules.solutions import check_solution

#: What nbgrader puts in place of a region, indented like its marker.
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


def check_stubs(page: Page, root: Path) -> Iterator[Found]:
    """Yield what the rule of the build refuses, and solution cells whose released stub is another cell's text."""
    released = _released(root / "release" / page.name / f"{page.name}.ipynb") if page.is_homework else {}
    for cell, tree in page.code():
        if cell.cell.kind != "solution":
            continue
        refused = list(check_solution(cell, tree))
        for finding in refused:
            yield Found("stub", cell.cell.index, finding.line - cell.place.first + 1, finding.reason)
        there = released.get(cell.cell.grade_id)
        if there is None or refused:
            continue
        for line, ours in _expected(cell):
            theirs = there.pop(0) if there else None
            if ours != theirs:
                wrong = f"the stub that students have differs here: it says {(theirs or 'nothing').strip()!r}."
                advice = f"Run `autograde build {page.name}`, and commit the release."
                yield Found("stub", cell.cell.index, line, f"{wrong} {advice}")
                break
        else:
            if there:
                wrong = f"the stub that students have goes on below this cell: {there[0].strip()!r}."
                advice = f"Run `autograde build {page.name}`, and commit the release."
                yield Found("stub", cell.cell.index, len(cell.source.rstrip().split("\n")), f"{wrong} {advice}")


def _expected(cell: TextCell) -> Iterator[tuple[int, str]]:
    """The lines of the stub, each with the line (from 1) of the cell that it comes from."""
    marked = {region.begin: region for region in regions(cell.source, BEGIN_SOLUTION, END_SOLUTION)}
    hidden = {line for region in marked.values() for line in range(region.begin, region.end + 1)}
    for number, line in enumerate(cell.source.rstrip().split("\n"), 1):
        if number in marked:
            indent = line[: len(line) - len(line.lstrip())]
            yield from ((number, indent + words) for words in STUB)
        elif number not in hidden:
            yield number, line


def _released(path: Path) -> dict[str | None, list[str]]:
    """The lines of each released cell by its grade_id; empty without a release, of which `build --check` speaks."""
    if not path.is_file():
        return {}
    notebook = nbformat.read(path, as_version=4)
    marked = [(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source) for cell in notebook.cells]
    return {grade_id: source.rstrip().split("\n") for grade_id, source in marked if grade_id}
