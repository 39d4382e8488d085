"""The prose of a markdown cell: code, markup and targets of links are blanked, so that every line and column holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

HEADING = re.compile(r"(#{1,6})\s+(.*)")
FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
#: Comments, tags, targets of links and pictures, bare addresses.
MARKUP = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>|(?<=\])\([^()\s]*\)|https?://\S+", re.DOTALL)
MATH = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?=\S)(?:(?!\n\n)[^$])+?(?<=\S)\$", re.DOTALL)
RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?\s*)?")


def blank(match: re.Match[str]) -> str:
    """As many spaces as there were characters; lines stay."""
    return re.sub(r"[^\n]", " ", match[0])


@dataclass(frozen=True)
class Prose:
    """One markdown cell. All of its texts have the same length, so that a position means the same in each."""

    source: str

    @cached_property
    def plain(self) -> str:
        """Without code and markup; with its math."""
        return MARKUP.sub(blank, self.without_code)

    @cached_property
    def without_code(self) -> str:
        """Without code spans and blocks."""
        return CODE.sub(blank, FENCE.sub(blank, self.source))

    @cached_property
    def words(self) -> str:
        """Without code, markup and math."""
        return MATH.sub(blank, self.plain)

    def in_math(self, position: int) -> bool:
        return any(match.start() <= position < match.end() for match in self._math)

    @cached_property
    def _math(self) -> list[re.Match[str]]:
        return list(MATH.finditer(self.plain))

    def line_of(self, position: int) -> int:
        """The line (from 1) of a position."""
        return self.source.count("\n", 0, position) + 1

    def headings(self) -> Iterator[tuple[int, int, str]]:
        """Line, level and text of each heading."""
        without_code = FENCE.sub(blank, self.source).split("\n")
        for number, line in enumerate(without_code, 1):
            if (match := HEADING.match(line)) is not None:
                yield number, len(match[1]), match[2]


def row(line: str) -> list[str]:
    """The entries of a line of a table; empty when it is none."""
    line = line.strip()
    return [entry.strip() for entry in line.strip("|").split("|")] if line.startswith("|") else []


def blank_tables(text: str, unwanted: Callable[[str, list[str]], bool]) -> str:
    """The text without the columns of tables that are unwanted, given the column's heading and all headings."""
    lines = text.split("\n")
    heads: list[str] = []
    for number, line in enumerate(lines):
        if not line.lstrip().startswith("|"):
            heads = []
        elif RULE.fullmatch(line) and number:
            heads = row(lines[number - 1])
        elif heads:
            lines[number] = _without(line, [unwanted(head, heads) for head in heads])
    return "\n".join(lines)


def _without(line: str, unwanted: list[bool]) -> str:
    start = line.index("|") + 1
    entries = line[start:].split("|")
    kept = [
        " " * len(entry) if number < len(unwanted) and unwanted[number] else entry
        for number, entry in enumerate(entries)
    ]
    return line[:start] + "|".join(kept)
