"""Recognise which released cell each submitted cell is: by its marks, else its text, the name it defines, its place.

Evidence is taken in this order, the strongest first, and a cell is used once. What nothing recognises stays free.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from autograde.repair.cells import StudentCell
from autograde.repair.definitions import bound
from autograde.repair.released import Place, Released, normal, telling_lines

#: How a cell was recognised. `place` is sure (one cell for one place), `guess` is not.
How = Literal["marks", "text", "name", "likeness", "place", "guess"]

#: An edited cell is recognised when it still has this share of the released lines, and at least two of them.
LIKENESS = 0.6


@dataclass
class Matching:
    """The state of recognition. Cells are named by their index in `cells`."""

    cells: list[StudentCell]
    released: Released
    #: grade id -> the cells that may be it, in the student's order.
    holders: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    how: dict[tuple[int, str], How] = field(default_factory=dict)
    #: The unmarked cells of the release that are unchanged.
    plain: dict[int, Place] = field(default_factory=dict)
    free: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.free = set(range(len(self.cells)))

    @cached_property
    def texts(self) -> list[str]:
        return [normal(cell.source) for cell in self.cells]

    def give(self, index: int, place: Place, how: How) -> None:
        """Let a cell be a candidate for a place."""
        self.holders[place.key].append(index)
        self.how[index, place.key] = how
        self.free.discard(index)

    def lost(self, place: Place) -> bool:
        return not self.holders.get(place.key)

    def numbers(self, indices: Iterable[int]) -> list[int]:
        """The numbers, from 1, that people know cells by."""
        return [self.cells[index].number for index in indices]

    @cached_property
    def released_texts(self) -> set[str]:
        return {place.text for place in self.released.places} - {""}

    def edited(self, index: int) -> bool:
        """Whether a cell holds a text of its own: neither empty nor unchanged text of a released cell."""
        return bool(self.texts[index]) and self.texts[index] not in self.released_texts

    def definers(self, place: Place) -> list[int]:
        """The free cells that define what an answer must define; code cells if there are any."""
        every = [index for index in sorted(self.free) if place.answered_by(self.texts[index]) and self.edited(index)]
        return [index for index in every if self.cells[index].cell_type == "code"] or every


def by_marks(match: Matching) -> None:
    """Believe the grade ids that cells carry, except where marks and text were plainly exchanged."""
    for index, cell in enumerate(match.cells):
        place = match.released.marked.get(cell.claim or "")
        # The unchanged text of another released cell says more than the marks; `by_text` looks at it.
        if place is not None and (match.texts[index] == place.text or match.texts[index] not in match.released_texts):
            match.give(index, place, "marks")
    # Answers that no cell with their marks defines: did two cells exchange their marks?
    undefined = [place for place in match.released.having("answer") if place.names and not _defines(match, place)]
    for place in undefined:
        for index in [each for each in match.holders[place.key] if not place.defined_by(match.texts[each])]:
            others = (other for other in undefined if other.defined_by(match.texts[index]))
            other = next((other for other in others if not other.names <= bound(place.text)), None)
            if other is not None:
                match.holders[place.key].remove(index)
                match.give(index, other, "name")
    for place in undefined:
        match.holders[place.key].sort()


def _defines(match: Matching, place: Place) -> bool:
    return any(place.defined_by(match.texts[index]) for index in match.holders[place.key])


def by_text(match: Matching) -> None:
    """Recognise unchanged copies of released cells: the marked ones that are lost, and the unmarked ones."""
    marked: dict[str, list[Place]] = defaultdict(list)
    plain: dict[tuple[str, str], deque[Place]] = defaultdict(deque)
    for place in match.released.places:
        if place.role == "plain":
            plain[place.cell.cell_type, place.text].append(place)
        else:
            marked[place.text].append(place)
    # A text that several places share ("YOUR ANSWER HERE") tells nothing; those are left to `by_place`.
    wanted = {text: places[0] for text, places in marked.items() if text and len(places) == 1 and match.lost(places[0])}
    for index in sorted(match.free):
        text = match.texts[index]
        if text in wanted:
            match.give(index, wanted[text], "text")
        elif text and (match.cells[index].cell_type, text) in plain:
            places = plain[match.cells[index].cell_type, text]
            if places:
                match.plain[index] = places.popleft()
                match.free.discard(index)


def by_likeness(match: Matching, places: list[Place]) -> None:
    """Recognise edited copies of lost cells by the released lines that are left in them."""
    wanted = [place for place in places if match.lost(place) and len(place.lines) >= 2]
    if not wanted:
        return
    lines = {index: telling_lines(match.texts[index]) for index in sorted(match.free) if match.edited(index)}
    for place in wanted:
        shared = {index: len(place.lines & lines[index]) for index in lines if index in match.free}
        best = max(shared, key=lambda index: shared[index], default=None)
        if best is not None and shared[best] >= max(2, LIKENESS * len(place.lines)):
            match.give(best, place, "likeness")


def by_name(match: Matching) -> None:
    """Recognise lost answers by the functions and classes they define."""
    for place in match.released.having("answer"):
        if match.lost(place):
            for index in match.definers(place):
                match.give(index, place, "name")


def shared_definer(match: Matching, place: Place) -> int | None:
    """The last cell of another exercise that also answers this one, as when a student merged two cells."""
    found = [
        index
        for other in match.released.having("answer")
        if other is not place and not place.names <= bound(other.text)
        for index in match.holders[other.key]
        if place.answered_by(match.texts[index])
    ]
    return max(found, default=None)


def by_place(match: Matching) -> None:
    """Recognise lost answers by what stands before and after them, as for a written answer without its marks."""
    anchors = _anchors(match)
    gaps: dict[tuple[int, int], list[Place]] = defaultdict(list)
    for place in match.released.having("answer"):
        if match.lost(place) and shared_definer(match, place) is None:
            left = max((index for at, index in anchors if at < place.index), default=-1)
            right = min((index for at, index in anchors if at > place.index), default=len(match.cells))
            gaps[left, right].append(place)
    for (left, right), places in gaps.items():
        for code in (True, False):
            wanted = [place for place in places if place.code is code]
            inside = [index for index in range(left + 1, right) if _fits(match, index, wanted)]
            if len(wanted) == len(inside):
                for place, index in zip(wanted, inside, strict=True):
                    if _fits(match, index, [place]):
                        match.give(index, place, "place")
            elif len(wanted) == 1 and inside:
                match.give(inside[0], wanted[0], "guess")


def _fits(match: Matching, index: int, wanted: list[Place]) -> bool:
    """Whether a free cell could be one of the wanted answers: of its type, and naming what it must define."""
    text, is_code = match.texts[index], match.cells[index].cell_type == "code"
    return index in match.free and any(
        place.code is is_code
        and (text == place.text or match.edited(index))
        and (not place.names or any(name in text for name in place.names))
        for place in wanted
    )


def _anchors(match: Matching) -> list[tuple[int, int]]:
    """Pairs (place in the release, cell) that stand in the same order in both: the longest such chain."""
    sure = [(place.index, index) for index, place in match.plain.items()]
    for place in match.released.marked.values():
        if len(match.holders[place.key]) == 1:
            sure.append((place.index, match.holders[place.key][0]))
    sure.sort(key=lambda pair: pair[1])
    ends: list[int] = []
    chain: list[tuple[int, int]] = []
    back: list[int] = []
    for number, (at, _) in enumerate(sure):
        length = bisect_left(ends, at)
        ends[length:] = [at, *ends[length + 1 :]]
        chain[length:] = [(at, number), *chain[length + 1 :]]
        back.append(chain[length - 1][1] if length else -1)
    longest, number = [], chain[-1][1] if chain else -1
    while number >= 0:
        longest.append(sure[number])
        number = back[number]
    return longest[::-1]
