"""Words that the course has fixed, so that one thing has one name: `words.toml` says which."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograde.lint.finding import Found
from autograde.lint.page import Page
from autograde.lint.prose import blank_tables

FIXED = Path(__file__).with_name("words.toml")
#: A table that sets our words beside those of the field must name both: one of its headings says so.
GLOSSARY = re.compile(r"in papers|the field's", re.IGNORECASE)


@dataclass(frozen=True)
class Fixed:
    """Words that nobody should write, what to write instead, and why."""

    pattern: re.Pattern[str]
    write: str
    why: str


@functools.cache
def fixed_words() -> tuple[Fixed, ...]:
    """The entries of `words.toml`."""
    entries = tomllib.loads(FIXED.read_text(encoding="utf-8"))["word"]
    return tuple(Fixed(_whole_words(entry["not"]), entry["write"], entry["why"]) for entry in entries)


def _whole_words(pattern: str) -> re.Pattern[str]:
    """A space of the pattern may be the end of a line in the text."""
    spaced = pattern.replace(" ", r"\s")
    return re.compile(rf"\b(?:{spaced})\b", re.IGNORECASE)


def check_words(page: Page) -> Iterator[Found]:
    """Yield words of the prose that have another name in this course; code, math and glossaries are left out."""
    for index, prose in page.prose.items():
        text = blank_tables(prose.words, lambda _, heads: any(map(GLOSSARY.search, heads)))
        for fixed in fixed_words():
            for match in fixed.pattern.finditer(text):
                if _explains(text, match):
                    continue
                found = " ".join(match[0].split())
                message = f"“{found}”: write “{fixed.write}”. {fixed.why}"
                yield Found("word", index, prose.line_of(match.start()), message, found.lower())


def _explains(text: str, match: re.Match[str]) -> bool:
    """In brackets or quotes behind our word the field's may stand: a gate (attention weight)."""
    before, after = text[: match.start()].rstrip("*_ "), text[match.end() :].lstrip("*_ ")
    return before.endswith("(") and after.startswith((")", ",", ";"))
