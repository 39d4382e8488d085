"""The card above an exercise: how many lines it says that our solution has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograde.lesson import BEGIN_SOLUTION, END_SOLUTION
from autograde.lint.finding import Found
from autograde.lint.page import Page
from autograde.lint.prose import row
from autograde.rules import TextCell
from autograde.rules.python import regions

COLUMN = "lines in our solution"


def check_cards(page: Page) -> Iterator[Found]:
    """Yield cards whose number of lines is not that of the solution: lines of code between its markers."""
    card: tuple[int, int, str] | None = None
    for cell in page.cells:
        if not cell.is_code:
            card = _card(cell) or card
        elif cell.cell.kind == "solution" and card is not None:
            # a card belongs to the next solution below it
            (index, line, entry), card = card, None
            count = solution_lines(cell)
            if entry != str(count):
                wrong = f"the card says {entry or 'nothing'}, our solution of `{cell.cell.grade_id}` has {count} lines."
                yield Found("card", index, line, f"{wrong} Write {count} in the column “{COLUMN}”.")


def solution_lines(cell: TextCell) -> int:
    """The lines of code between the markers of a solution; empty lines and comments do not count."""
    marked = regions(cell.source, BEGIN_SOLUTION, END_SOLUTION)
    inside = [line for region in marked for line in cell.lines[region.begin : region.end - 1]]
    return sum(bool(re.match(r"\s*[^\s#]", line)) for line in inside)


def _card(cell: TextCell) -> tuple[int, int, str] | None:
    """The card in a markdown cell: the cell, the line of its numbers, what it says in the column."""
    for number, line in enumerate(cell.lines[:-2], 1):
        heads = row(line)
        if COLUMN in heads and len(entries := row(cell.lines[number + 1])) == len(heads):
            return cell.cell.index, number + 2, entries[heads.index(COLUMN)]
    return None
