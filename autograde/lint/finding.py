"""What the lint says: one finding for each place in a lesson's text that a person should look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "figure", "length", "card", "stub", "word", "exemption"]


@dataclass(frozen=True, order=True)
class Finding:
    """Where it is in the text, what is wrong and what to do about it, and which check found it.

    `file` is relative to the course folder; `line` counts from 1. A `kind` keeps its name.
    """

    file: str
    line: int
    message: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Found:
    """What a check found in a cell, before its exemptions were asked.

    `what` is what an exemption may name: a number or a word as it is written; empty where there is nothing to name.
    """

    kind: Kind
    cell: int
    line: int
    message: str
    what: str = ""
