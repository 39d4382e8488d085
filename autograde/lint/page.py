"""A lesson's text as the lint sees it: its cells, their syntax trees, and the sections that its headings make."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import BuildError
from autograde.lint.prose import Prose
from autograde.rules import Text, TextCell, parse_cells, read_text, text_cells

#: Headings down to this level begin a section; deeper ones divide it.
SECTION = 2


@dataclass(frozen=True)
class Page:
    """One text. `trees` and `prose` go by the index of the cell; cells that are no Python have no tree."""

    text: Text
    cells: tuple[TextCell, ...]
    trees: dict[int, ast.Module]
    prose: dict[int, Prose]
    titles: tuple[str, ...]
    sections: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def is_homework(self) -> bool:
        return self.text.path.startswith("source/")

    def section(self, cell: int, line: int = 1) -> int:
        """The section of a line (from 1) of a cell; 0 is what stands above all headings."""
        of_lines = self.sections[cell]
        return of_lines[min(line, len(of_lines)) - 1]

    def code(self) -> Iterator[tuple[TextCell, ast.Module]]:
        """The code cells, in their order."""
        for cell in self.cells:
            if (tree := self.trees.get(cell.cell.index)) is not None:
                yield cell, tree


def read_page(path: Path, root: Path) -> Page:
    """Read a lesson's text below the course folder `root`.

    Raises:
        BuildError: the file cannot be read as a lesson.
    """
    text = read_text(path, root)
    try:
        cells = text_cells(text)
    except (AttributeError, TypeError, ValueError) as error:
        raise BuildError(
            f"{text.path}:1: the metadata of a cell is not valid. `autograde build` says where."
        ) from error
    trees = {cell.cell.index: tree for cell, tree in parse_cells(cells)[0]}
    prose = {cell.cell.index: Prose(cell.source) for cell in cells if not cell.is_code}
    titles, sections = _sections(cells, prose)
    return Page(text, tuple(cells), trees, prose, tuple(titles), tuple(sections))


def _sections(cells: list[TextCell], prose: dict[int, Prose]) -> tuple[list[str], list[tuple[int, ...]]]:
    """The title of each section, and for each cell the section of each of its lines."""
    titles = [""]
    sections = []
    for cell in cells:
        begin = {}
        if cell.cell.index in prose:
            begin = {line: title for line, level, title in prose[cell.cell.index].headings() if level <= SECTION}
        of_lines = []
        for line in range(1, len(cell.lines) + 1):
            if line in begin:
                titles.append(begin[line])
            of_lines.append(len(titles) - 1)
        sections.append(tuple(of_lines))
    return titles, sections
