"""Markers: only the four of ours, in pairs, on lines of their own, in cells of the right kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograde.lesson import BEGIN_HIDDEN, BEGIN_SOLUTION, END_HIDDEN, END_SOLUTION
from autograde.rules.python import marker
from autograde.rules.text import Finding, TextCell

#: nbgrader acts on these words wherever they stand, in prose, strings and comments too.
WORDS = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)|AUTOTEST|HASHED")
#: What somebody wrote who meant a marker: neither nbgrader nor the judge would see it.
ALMOST = re.compile(r"\s*#+\s*(BEGIN|END)\s+(SOLUTIONS?|HIDDEN(\s+TESTS?)?)\s*$", re.IGNORECASE)
PAIRS = (
    (BEGIN_SOLUTION, END_SOLUTION, ("solution", "written"), "a solution"),
    (BEGIN_HIDDEN, END_HIDDEN, ("test",), "a test"),
)
KNOWN = sorted(word for begin, end, _, _ in PAIRS for word in (begin, end))


def check_markers(cell: TextCell) -> Iterator[Finding]:
    """Yield what is wrong with the markers of a cell of any kind."""
    for number, line in enumerate(cell.lines, 1):
        if marker(line) not in KNOWN and (WORDS.search(line) or ALMOST.match(line)):
            advice = f"Write exactly one of {', '.join(f'`{word}`' for word in KNOWN)}, or other words."
            yield cell.at(number, "nbgrader or a reader takes these words for a marker.", advice)
    for begin, end, kinds, name in PAIRS:
        yield from _check_pair(cell, begin, end, kinds, name)


def _check_pair(cell: TextCell, begin: str, end: str, kinds: tuple[str, ...], name: str) -> Iterator[Finding]:
    opened: int | None = None
    for number, line in enumerate(cell.lines, 1):
        word = marker(line)
        if word not in (begin, end):
            continue
        if cell.cell.kind not in kinds:
            yield cell.at(number, f"`{word}` stands outside {name} cell.", "Move it or correct the cell's metadata.")
        elif word == begin:
            if opened is not None:
                yield cell.at(number, f"`{begin}` stands again before `{end}`.", "Close the first region.")
            opened = number
        else:
            if opened is None:
                yield cell.at(number, f"`{end}` has no `{begin}` above it.", "Add the missing marker.")
            opened = None
    if opened is not None:
        yield cell.at(opened, f"`{begin}` has no `{end}` below it.", "Add the missing marker.")
