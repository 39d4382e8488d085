"""Make the cells of the repaired notebook: released ones, answers with the student's text, and free ones."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass

from nbformat import NotebookNode

from autograde.repair.cells import StudentCell
from autograde.repair.choice import Choice
from autograde.repair.definitions import definition_of
from autograde.repair.match import Matching
from autograde.repair.released import Place


@dataclass(eq=False)
class Item:
    """A cell of the result, the released place it has, and the submitted cell it comes from (None: put back)."""

    node: NotebookNode
    place: Place | None = None
    number: int | None = None


def build(match: Matching, choice: Choice) -> list[Item]:
    """Turn every submitted cell into the cells that stand for it in the result, in the student's order."""
    places: dict[int, list[Place]] = defaultdict(list)
    shared: dict[int, list[Place]] = defaultdict(list)
    for key, place in match.released.marked.items():
        if key in choice.slot:
            places[choice.slot[key]].append(place)
        elif key in choice.shared:
            shared[choice.shared[key]].append(place)
    items = []
    for index, cell in enumerate(match.cells):
        mine = sorted(places.get(index, ()), key=lambda place: ("setup", "answer", "test").index(place.role))
        for place in mine:
            node = answer(place, cell.source, cell) if place.role == "answer" else released(place)
            items.append(Item(node, place, cell.number))
        if index in match.plain:
            items.append(Item(released(match.plain[index]), match.plain[index], cell.number))
        elif index in choice.kept or (not mine and index not in choice.dropped):
            items.append(Item(free(cell), None, cell.number))
        for place in shared.get(index, ()):
            items.append(Item(answer(place, definition_of(cell.source, place.names), cell), place, cell.number))
    return items


def released(place: Place) -> NotebookNode:
    """A released cell, without outputs."""
    node = deepcopy(place.cell)
    if node.cell_type == "code":
        node.outputs = []
        node.execution_count = None
    return node


def answer(place: Place, text: str, cell: StudentCell) -> NotebookNode:
    """A released answer cell with the student's text."""
    node = released(place)
    node.source = text
    node.pop("attachments", None)
    if not place.code and cell.attachments:
        node.attachments = NotebookNode(deepcopy(cell.attachments))
    return node


def free(cell: StudentCell) -> NotebookNode:
    """A student's own cell: its text, and nothing that means anything to a grader."""
    node = NotebookNode(cell_type=cell.cell_type, metadata=NotebookNode(), source=cell.source)
    if cell.cell_type == "code":
        node.outputs = []
        node.execution_count = None
    elif cell.attachments:
        node.attachments = NotebookNode(deepcopy(cell.attachments))
    if cell.cell_id is not None:
        node.id = cell.cell_id
    return node


def identify(items: list[Item], place_ids: set[str]) -> None:
    """Give every cell a valid id that no other has; released cells keep theirs, and so do the student's if they can."""
    used = set(place_ids)
    spare = 0
    for item in items:
        if item.place is not None:
            continue
        wanted = item.node.get("id")
        while wanted is None or wanted in used:
            spare += 1
            wanted = f"student-{spare}"
        item.node.id = wanted
        used.add(wanted)
