"""The text of a lesson as the rules see it: its cells, each with the line of the text file where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.errors import BuildError
from autograde.lesson import Cell

#: How a cell begins in `py:percent` text; `# %%time` is a magic, not a beginning.
HEADER = re.compile(r"\s*#\s*(%%+(\s.*)?|<codecell>|In\[[0-9 ]*\]:?)\s*$")
#: What Python's splitlines (and so Jupytext) takes for the end of a line, and editors do not.
OTHER_BREAKS = re.compile("[\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
QUOTES = ('"""', "'''", 'r"""', "r'''")


@dataclass(frozen=True, order=True)
class Finding:
    """One reason to refuse: where it is in the text, what is wrong and what to do about it."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Place:
    """Where a cell stands: the lines (from 1) of its `# %%` line and of the first line of its source."""

    header: int
    first: int


@dataclass(frozen=True)
class TextCell:
    """A cell of a lesson, its kind, and where it stands in the text."""

    path: str
    cell: Cell
    place: Place
    metadata: dict[str, Any]
    is_code: bool

    @property
    def source(self) -> str:
        return self.cell.source

    @property
    def lines(self) -> list[str]:
        return self.cell.source.split("\n")

    def text_line(self, line: int) -> int:
        """The line of the text file for a line (from 1) of the cell."""
        return self.place.first + line - 1

    def at(self, line: int | None, wrong: str, advice: str) -> Finding:
        """A finding on a line of the cell, or on its `# %%` line for None: what is wrong, what to do."""
        return Finding(self.path, self.text_line(line) if line else self.place.header, f"{wrong} {advice}")


@dataclass(frozen=True)
class Text:
    """A lesson's text file, as Jupytext reads it. `path` is relative to the course folder."""

    path: str
    lines: tuple[str, ...]
    notebook: Any  # nbformat.NotebookNode
    places: tuple[Place, ...]

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def at(self, line: int, wrong: str, advice: str) -> Finding:
        """A finding on a line of the file: what is wrong, what to do."""
        return Finding(self.path, line, f"{wrong} {advice}")

    def header_line(self, word: str) -> int:
        """The line of the YAML header that begins with `word`, else the first line of the file."""
        last = self.places[0].header if self.places else len(self.lines)
        found = (n for n, line in enumerate(self.lines[:last], 1) if line.lstrip("# ").startswith(word))
        return next(found, 1)


def read_text(path: Path, root: Path) -> Text:
    """Read a lesson's text.

    Raises:
        BuildError: the file is no UTF-8, or Jupytext does not read it as a `py:percent` notebook.
    """
    import jupytext

    name = path.relative_to(root).as_posix()
    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BuildError(f"{name}:1: byte {error.start} is not UTF-8. Save the file as UTF-8.") from error
    lines = content.splitlines()
    if (other := OTHER_BREAKS.search(content)) is not None:
        line = content.count("\n", 0, other.start()) + 1
        raise BuildError(f"{name}:{line}: {other[0]!r} in this line ends it for some programs. Delete it.")
    try:
        notebook = jupytext.reads(content, fmt="py:percent")
    except Exception as error:  # YAML and Jupytext have no common class of errors
        why = " ".join(str(error).split())
        raise BuildError(f"{name}:1: Jupytext cannot read this file: {why}. Correct its header.") from error
    form = notebook.metadata.get("jupytext", {}).get("text_representation", {}).get("format_name")
    if form != "percent":
        raise BuildError(f"{name}:1: the header says format_name: {form}. Write `format_name: percent`.")
    return Text(name, tuple(lines), notebook, tuple(_places(notebook.cells, lines, name)))


def _places(cells: Sequence[Any], lines: list[str], name: str) -> Iterator[Place]:
    """Find each cell in the text. The cells come in order and their sources are known, so that no rule of Jupytext has
    to be repeated here; every line is compared, and a difference is an error, never a wrong line number."""
    position = _after_yaml(lines)
    if cells and cells[0].cell_type == "raw" and cells[0].source.startswith("---"):
        raise BuildError(f"{name}:1: Jupytext makes a cell of this header. Let it hold only `jupyter:`.")
    for index, cell in enumerate(cells):
        while index > 0 and position < len(lines) and lines[position].strip() in ("", "#"):
            position += 1  # a lone comment sign is all there is of an empty cell of prose
        header = position
        if position < len(lines) and HEADER.match(lines[position]):
            position += 1
        elif index > 0 or not cell.source.strip():
            reason = (
                "Jupytext makes a cell of this line. Begin each with `# %%`, the first one empty line below the header."
            )
            raise BuildError(f"{name}:{position + 1}: {reason}")
        quoted = cell.cell_type == "markdown" and position < len(lines) and lines[position].strip() in QUOTES
        position += quoted
        yield Place(header + 1, position + 1)
        for line in cell.source.split("\n") if cell.source else []:
            if position >= len(lines) or not _same(line, lines[position], cell.cell_type == "code"):
                raise BuildError(f"{name}:{position + 1}: {_differs(line, cell.cell_type == 'code')}")
            position += 1
        position += quoted


def _after_yaml(lines: list[str]) -> int:
    """The position of the first line that belongs to a cell; Jupytext drops one empty line below the header."""
    rule = re.compile(r"#\s*---\s*$")
    start = 0
    while start < min(2, len(lines)) and re.match(r"#!|#.*coding[:=]", lines[start]):
        start += 1
    if start < len(lines) and rule.match(lines[start]):
        end = next((n for n in range(start + 1, len(lines)) if rule.match(lines[n])), start)
        start = end + 1
        start += start < len(lines) and not lines[start].strip()
    return start


def _same(line: str, text: str, code: bool) -> bool:
    if line == text:
        return True
    if not code:
        return text.lstrip("# ") == line.lstrip("# ")
    # Jupytext keeps magics as comments in the text. It takes `# cat ...` and `# ls` for shell commands, too.
    bare = text.lstrip()
    magic = line.lstrip().startswith(("%", "!", "?", "#"))
    return magic and bare.startswith("#") and bare[1:].removeprefix(" ") == line.lstrip()


def _differs(line: str, code: bool) -> str:
    if code:
        return f"Jupytext reads this comment as the command `{line.strip()}`. Begin the comment with another word."
    return "this line of a markdown cell is not read as it stands. Begin every line of the cell with `# `."
