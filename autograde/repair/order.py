"""Put the cells in an order in which tests can run: missing ones at their place, tests below, setup above the rest."""

from __future__ import annotations

from autograde.repair.build import Item, released
from autograde.repair.match import Matching
from autograde.repair.notes import Note, cells
from autograde.repair.released import Place, Released


def insert_missing(items: list[Item], places: Released) -> list[Place]:
    """Put back every marked cell of the release that is not there, each below its released predecessor.

    Returns:
        the places that were missing, in order.
    """
    present = {item.place.index for item in items if item.place is not None}
    missing = [place for place in places.marked.values() if place.index not in present]
    for place in missing:
        at = _after_predecessor(items, place)
        items.insert(at, Item(released(place), place))
    return missing


def _after_predecessor(items: list[Item], place: Place) -> int:
    """Where a missing cell belongs: below the nearest released cell before it, else above the nearest one after it."""
    before = [(item.place.index, at) for at, item in enumerate(items) if item.place and item.place.index < place.index]
    if before:
        return max(before)[1] + 1
    after = [(item.place.index, at) for at, item in enumerate(items) if item.place and item.place.index > place.index]
    return min(after)[1] if after else 0


def put_in_order(items: list[Item], places: Released) -> list[Note]:
    """Move tests below their answers, and setup cells above all marked cells that follow them in the release."""
    notes = []
    for test in places.having("test"):
        answer = places.answer_of(test)
        if answer is None:
            continue
        at, above = _position(items, test), _position(items, answer)
        if at < above:
            item = items.pop(at)
            items.insert(above, item)
            notes.append((item, f"the answer {answer.key}", "below it"))
    for setup in places.having("setup"):
        at = _position(items, setup)
        later = [
            position
            for position, item in enumerate(items)
            if item.place and item.place.role != "plain" and item.place.index > setup.index
        ]
        if later and later[0] < at:
            item = items.pop(at)
            items.insert(later[0], item)
            notes.append((item, "cells that need it", "above them"))
    return [_moved(item, what, where) for item, what, where in notes if item.number is not None]


def _position(items: list[Item], place: Place) -> int:
    return next(at for at, item in enumerate(items) if item.place is place)


def _moved(item: Item, what: str, where: str) -> Note:
    assert item.place is not None
    side = "above" if where == "below it" else "below"
    said = f"Cell {item.number} ({item.place.key}) stood {side} {what}. It was moved {where}."
    return Note("moved", said, item.place.exercise)


def redefined(items: list[Item], match: Matching) -> list[Note]:
    """Name the student's own cells between an answer and its test that define the answer again: their word counts."""
    notes = []
    for answer in match.released.having("answer"):
        test = match.released.test_of(answer)
        if test is None or not answer.names:
            continue
        between = items[_position(items, answer) + 1 : _position(items, test)]
        again = [item for item in between if item.place is None and item.node.cell_type == "code"]
        numbers = [item.number for item in again if item.number and answer.defined_by(item.node.source)]
        if numbers:
            verb = "defines" if len(numbers) == 1 else "define"
            said = (
                f"Between {answer.key} and its test, {cells(numbers)} {verb} {answer.key} again. The last one counts."
            )
            notes.append(Note("answer-redefined", said, answer.exercise, flag=True))
    return notes
