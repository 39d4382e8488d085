"""Exemptions stand in the text, on the `# %%` line of a cell: `lint={"number 95": "why no claim can say it"}`.

The key is the kind of the finding, and for numbers and words what they are as written, several with `, ` between. One
that gives no reason, or that nothing needs, is a finding itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from autograde.lint.finding import Finding, Found, Kind
from autograde.lint.page import Page

KEY = "lint"
#: Kinds of which a cell may have several, so that an exemption must name what it means.
NAMED = ("number", "word")
#: A reason has at least so many words.
WORDS = 3


def exempted(page: Page, found: Iterable[Found]) -> Iterator[Finding]:
    """What was found and is not exempted, as findings, and what is wrong with exemptions."""
    open_ = list(found)
    for cell in page.cells:
        own = [each for each in open_ if each.cell == cell.cell.index]
        given = cell.metadata.get(KEY, {})
        used: set[tuple[str, str]] = set()
        wanted = {pair for key in given for pair in _pairs(key)} if isinstance(given, dict) else set()
        for each in own:
            pair = (each.kind, each.what if each.kind in NAMED else "")
            if pair in wanted:
                used.add(pair)
            else:
                yield Finding(page.text.path, cell.text_line(each.line), each.message, each.kind)
        for message in _wrong(given, used):
            yield Finding(page.text.path, cell.place.header, message, "exemption")


def _pairs(key: str) -> list[tuple[str, str]]:
    """`number 1.3, 14` exempts two numbers."""
    kind, _, rest = str(key).partition(" ")
    return [(kind, what.strip().lower()) for what in rest.split(", ")]


def _wrong(given: object, used: set[tuple[str, str]]) -> Iterator[str]:
    if not isinstance(given, dict):
        yield f'this exemption is no object. Write `{KEY}={{"number 95": "the reason"}}`.'
        return
    for key, reason in given.items():
        kinds = [kind for kind in get_args(Kind) if kind != "exemption"]
        if _pairs(key)[0][0] not in kinds:
            yield f"there is no kind of finding `{_pairs(key)[0][0]}`. Write one of {', '.join(kinds)}."
            continue
        if not isinstance(reason, str) or len(reason.split()) < WORDS:
            yield f"the exemption `{key}` has no reason. Say in a few words why it may stay."
        for kind, what in _pairs(key):
            if (kind, what) not in used:
                name = f"{kind} {what}".strip()
                yield f"the exemption `{name}` exempts nothing. Delete it, or write it as the finding does."
