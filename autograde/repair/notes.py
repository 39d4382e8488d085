"""What repair tells students and instructors: short notes, each with a code for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: A message names at most this many cells or grade ids; a notebook of 20,000 cells must not make a page of text.
MOST_NAMED = 8


@dataclass(frozen=True)
class Note:
    """One thing that was found or done.

    `code` is for programs, `message` for people (plain sentences on one line; cell numbers count from 1 in the
    notebook as handed in), `exercise` the exercise it is about; `flag` says that an instructor should look.
    """

    code: str
    message: str
    exercise: str | None = None
    flag: bool = False


def listed(names: Iterable[object]) -> str:
    """Join names as in a sentence: `a`, `a and b`, `a, b and c`; long lists are cut and counted."""
    every = [str(name) for name in names]
    if len(every) > MOST_NAMED:
        return ", ".join(every[:MOST_NAMED]) + f" and {len(every) - MOST_NAMED} more"
    if len(every) < 2:
        return "".join(every)
    return ", ".join(every[:-1]) + " and " + every[-1]


def cells(numbers: Iterable[int]) -> str:
    """`cell 3` or `cells 3, 5 and 8`."""
    every = sorted(set(numbers))
    return f"cell{'s' if len(every) != 1 else ''} {listed(every)}"


def quoted(value: object, limit: int = 60) -> str:
    """Show a value that a student controls: one line of printable characters, not too long."""
    text = "".join(char if char.isprintable() else "?" for char in str(value)[: limit + 1])
    return "'" + (text if len(text) <= limit else text[: limit - 1] + "…") + "'"


def sentence(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]
