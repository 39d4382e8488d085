"""Choose, for each test and setup cell, which submitted cell is restored to the released text."""

from __future__ import annotations

from autograde.repair.choice import Choice, genuine
from autograde.repair.definitions import defined
from autograde.repair.match import Matching
from autograde.repair.notes import Note, cells, sentence
from autograde.repair.released import Place


def settle_restored(match: Matching, choice: Choice) -> None:
    """Choose one cell for each test and setup cell; where a copy holds the student's own code, that code stays.

    A test is taken where it first stands below its answer, so that a copy at the end of the notebook moves nothing.
    """
    for place in match.released.having("setup", "test"):
        holders = match.holders[place.key]
        if not holders:
            continue
        chosen = _first_after_answer(match, place, holders) if place.role == "test" else holders[0]
        choice.slot[place.key] = chosen
        if match.texts[chosen] != place.text:
            (choice.older if genuine(match.cells[chosen]) else choice.edited).add(chosen)
        for index in holders:
            if _has_own_code(match, place, index):
                match.free.add(index)
                if index == chosen:
                    choice.kept.add(index)
            elif index != chosen:
                choice.dropped.add(index)
        if len(holders) > 1:
            choice.notes.append(_repeated(match, choice, place, chosen))


def _first_after_answer(match: Matching, test: Place, holders: list[int]) -> int:
    answer = match.released.answer_of(test)
    answers = match.holders[answer.key] if answer is not None else []
    return next((index for index in holders if answers and index > answers[0]), holders[0])


def _has_own_code(match: Matching, place: Place, index: int) -> bool:
    """Whether a copy of a test or setup cell holds something of the student's that restoring it would lose."""
    text = match.texts[index]
    if not text or text == place.text or genuine(match.cells[index]):
        return False
    if place.role == "setup" or defined(text) - defined(place.text):
        return True
    return any(answer.defined_by(text) for answer in match.released.having("answer"))


def _repeated(match: Matching, choice: Choice, place: Place, chosen: int) -> Note:
    others = [index for index in match.holders[place.key] if index != chosen]
    gone = match.numbers(index for index in others if index in choice.dropped)
    stay = match.numbers(index for index in others if index not in choice.dropped)
    verb = "repeats" if len(others) == 1 else "repeat"
    said = f"{sentence(cells(match.numbers(others)))} {verb} cell {match.cells[chosen].number} ({place.key})."
    if gone:
        said += f" {sentence(cells(gone))} {'was' if len(gone) == 1 else 'were'} left out."
    if stay:
        one = len(stay) == 1
        said += f" {sentence(cells(stay))} stayed as {'an ordinary cell' if one else 'ordinary cells'}:"
        said += f" {'it holds' if one else 'they hold'} changes."
    return Note("duplicate-test" if place.role == "test" else "duplicate-setup", said, place.exercise)
