"""What an exercise builds on: `uses` of its test cell, which the grader reads, and the card, which students read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograde.rules.text import Finding, TextCell

#: The heading of the card's column.
COLUMN = "uses"


def check_uses(cells: list[TextCell]) -> Iterator[Finding]:
    """Yield `uses` that name no earlier exercise, and cards that say otherwise than the test cell."""
    tested: set[str] = set()
    card: tuple[TextCell, int, str] | None = None
    cards: dict[str, tuple[TextCell, int, str]] = {}
    for cell in cells:
        if not cell.is_code:
            card = _card(cell) or card
        if cell.cell.kind == "solution" and card is not None and cell.cell.grade_id is not None:
            # A card belongs to the next solution below it: to one, not to all that follow.
            cards[cell.cell.grade_id], card = card, None
        if "uses" in cell.metadata:
            yield from _check_list(cell, tested)
        if cell.cell.kind == "test" and cell.cell.exercise is not None:
            tested.add(cell.cell.exercise)
            if cell.cell.exercise in cards:
                yield from _check_card(cell, *cards[cell.cell.exercise])


def _check_list(cell: TextCell, tested: set[str]) -> Iterator[Finding]:
    uses = cell.metadata["uses"]
    if cell.cell.kind != "test":
        yield cell.at(None, "`uses` stands on a cell that is no test.", "Move it to the test cell of the exercise.")
        return
    if not isinstance(uses, list) or not all(isinstance(name, str) for name in uses):
        yield cell.at(None, f"uses={uses!r} is no list of names.", 'Write `uses=["attention"]`.')
        return
    if len(set(uses)) < len(uses):
        yield cell.at(None, f"uses={uses!r} names an exercise twice.", "Name each once.")
    for name in uses:
        if name not in tested:
            advice = "Name exercises whose test stands above; leave out what they use themselves."
            yield cell.at(None, f"`uses` names `{name}`, which is no exercise above this one.", advice)


def _check_card(test: TextCell, card: TextCell, line: int, entry: str) -> Iterator[Finding]:
    """The card's entry must hold the same names, in backticks, or `nothing`, after which a reason may follow."""
    named = set(re.findall(r"`([^`]+)`", entry))
    if named != set(test.cell.uses) or (not named and entry.partition(":")[0] != "nothing"):
        wanted = ", ".join(f"`{name}`" for name in test.cell.uses) or "nothing"
        wrong = f"the card says that `{test.cell.exercise}` uses {entry or 'no word'}, its test cell says {wanted}."
        yield card.at(line, wrong, 'Let both say the same: the card, and `uses=["NAME"]` on the test cell.')


def _card(cell: TextCell) -> tuple[TextCell, int, str] | None:
    """The card in a markdown cell: its line and what it says in the column `uses`."""
    for number, line in enumerate(cell.lines[:-2], 1):
        heads = _row(line)
        if COLUMN in heads and len(row := _row(cell.lines[number + 1])) == len(heads):
            return cell, number + 2, row[heads.index(COLUMN)]
    return None


def _row(line: str) -> list[str]:
    """The entries of a line of a table; empty when it is none."""
    line = line.strip()
    return [entry.strip() for entry in line.strip("|").split("|")] if line.startswith("|") else []
