"""Choose, for each answer, which submitted cell is graded.

What is fair: a student's notebook runs from top to bottom, so the copy of an answer that counts is the last one above
the test of that exercise: it is the one that the student's own check used. (When all copies stand below the test, the
last one.) Copies that hold no work, unchanged stubs and repeated texts, are left out. Every other copy stays where it
stood as an ordinary cell and still runs, because a split cell needs both halves and later cells may use it. When two
different copies define the answer, an instructor is told to look.

An answer may also stand where no marks are: in a new cell below the untouched stub, typed into the test cell, or in
one cell with another exercise. It is found by the name that it must define, graded, and flagged.
"""

from __future__ import annotations

from autograde.repair.choice import Choice, genuine
from autograde.repair.match import Matching, shared_definer
from autograde.repair.notes import Note, cells, sentence
from autograde.repair.released import Place


def settle_answers(match: Matching, choice: Choice) -> None:
    """Choose one cell for each answer that was handed in."""
    for place in match.released.having("answer"):
        own = match.holders[place.key]
        outside = []
        if place.names and not _answered(match, place, own):
            outside = match.definers(place)
            shared = None if outside else shared_definer(match, place)
            if shared is not None:
                _settle_shared(match, choice, place, own, shared)
                continue
        if own or outside:
            _settle(match, choice, place, own, outside)


def _worked(match: Matching, place: Place, index: int) -> bool:
    """Whether something was written in a copy of an answer; an untouched stub of another release is nothing."""
    return match.texts[index] not in ("", place.text) and not genuine(match.cells[index])


def _answered(match: Matching, place: Place, indices: list[int]) -> list[int]:
    """The copies that define what the answer must define."""
    return [index for index in indices if _worked(match, place, index) and place.answered_by(match.texts[index])]


def _settle(match: Matching, choice: Choice, place: Place, own: list[int], outside: list[int]) -> None:
    worked = [index for index in own if _worked(match, place, index)]
    pool = outside or _answered(match, place, own) or worked or own
    chosen = _last_above_test(match, choice, place, pool)
    choice.slot[place.key] = chosen
    nothing_else = {match.texts[chosen], "", place.text}
    losers = sorted({*own, *pool} - {chosen})
    gone = [index for index in losers if match.texts[index] in nothing_else]
    choice.dropped.update(gone)
    choice.kept -= {chosen, *gone}
    match.free.update(losers)
    match.free -= {chosen, *gone}
    if outside and own:
        choice.notes.append(_elsewhere(match, place, own, chosen))
    if len({match.texts[index] for index in pool}) > 1:
        choice.notes.append(_ambiguous(match, choice, place, chosen, pool))
    elif losers and not outside:
        choice.notes.append(_harmless(match, place, chosen, losers, gone))
    if chosen not in own:
        match.holders[place.key].append(chosen)


def _settle_shared(match: Matching, choice: Choice, place: Place, own: list[int], shared: int) -> None:
    choice.shared[place.key] = shared
    choice.dropped.update(index for index in own if not _worked(match, place, index))
    match.free.update(index for index in own if _worked(match, place, index))
    number = match.cells[shared].number
    said = f"Cell {number} holds the answer to {place.key} together with another exercise."
    said += f" The part that defines {place.key} was graded."
    choice.notes.append(Note("answer-elsewhere", said, place.exercise, flag=True))


def _last_above_test(match: Matching, choice: Choice, place: Place, pool: list[int]) -> int:
    test = match.released.test_of(place)
    at = choice.slot.get(test.key, -1) if test is not None else -1
    return max([index for index in pool if index < at] or pool)


def _elsewhere(match: Matching, place: Place, own: list[int], chosen: int) -> Note:
    mine, number = match.numbers(own), match.cells[chosen].number
    verb = "does" if len(mine) == 1 else "do"
    said = f"{sentence(cells(mine))} ({place.key}) {verb} not hold the answer, but cell {number} defines {place.key}."
    return Note("answer-elsewhere", f"{said} Cell {number} was graded.", place.exercise, flag=True)


def _ambiguous(match: Matching, choice: Choice, place: Place, chosen: int, pool: list[int]) -> Note:
    number = match.cells[chosen].number
    test = match.released.test_of(place)
    above = test is not None and chosen < choice.slot.get(test.key, -1)
    said = f"{sentence(cells(match.numbers(pool)))} hold different answers to {place.key}. Cell {number} was graded,"
    said += f" the last one {'above its test' if above else 'of them'}. What differs stays as an ordinary cell."
    return Note("ambiguous-answer", said, place.exercise, flag=True)


def _harmless(match: Matching, place: Place, chosen: int, losers: list[int], gone: list[int]) -> Note:
    said = f"{sentence(cells(match.numbers([chosen, *losers])))} carry the marks of {place.key}."
    said += f" Cell {match.cells[chosen].number} was graded."
    stay = match.numbers(sorted(set(losers) - set(gone)))
    if gone:
        said += f" {sentence(cells(match.numbers(gone)))} held nothing else and {'was' if len(gone) == 1 else 'were'}"
        said += " left out."
    if stay:
        said += f" {sentence(cells(stay))} stayed as {'an ordinary cell' if len(stay) == 1 else 'ordinary cells'}."
    return Note("duplicate-answer", said, place.exercise)
