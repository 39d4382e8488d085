"""HTML from templates: self-contained pages in which everything that a student wrote is escaped.

A page runs no script and loads nothing: its policy forbids both, and allows one style sheet, ours, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from nbconvert.filters import strip_ansi

from autograde.gradebook.results import Graded
from autograde.verdict import Status, Verdict

WORDS: dict[Status, str] = {
    "passed": "All checks hold.",
    "partial": "Part of the checks hold.",
    "failed": "A check does not hold.",
    "not attempted": "Not attempted.",
    "missing": "Not handed in.",
    "timeout": "Stopped: it took too long.",
    "crashed": "The kernel ended while this was tested.",
    "broken test": "Our test is broken; your instructor will look at it.",
}
#: Characters that change how their neighbours are shown: overrides and isolates of direction, and control characters.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]")


def render(template: str, **values: Any) -> str:
    """Fill a template of `autograde/templates`."""
    return _environment().get_template(template).render(words=WORDS, **values)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = PackageLoader("autograde")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    style, _, _ = loader.get_source(environment, "page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.globals |= {"style": Markup(style), "style_hash": f"sha256-{digest}"}
    environment.filters |= {"points": points, "plain": plain, "said": said}
    return environment


def points(value: float) -> str:
    """A number of points as people write it: 3, 2.5, 0.33."""
    return f"{round(float(value), 2):g}"


def plain(text: Any) -> str:
    """Text as a terminal would leave it: no colours, progress bars at their end, hidden characters made visible."""
    lines = strip_ansi(str(text)).replace("\r\n", "\n").split("\n")
    return visible("\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


def said(text: str) -> Markup:
    """A sentence of a teacher's: what stands between backticks is code."""
    pieces = plain(text).split("`")
    if len(pieces) % 2 == 0:  # one backtick is left over
        return escape(plain(text))
    shown = [Markup("<code>{}</code>" if number % 2 else "{}").format(piece) for number, piece in enumerate(pieces)]
    return Markup("").join(shown)


def visible(text: str) -> str:
    """The same text with a mark, like ⟦U+202E⟧, for each character that would turn or hide what stands beside it."""
    return UNSEEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def found(graded: Graded) -> list[str]:
    """What an instructor should know about a submission, a line each: the notes, then what lost points."""
    if graded.error is not None:
        return [graded.error]
    said: dict[str, list[str]] = {}
    for verdict in graded.verdicts:
        if verdict.status != "passed" or verdict.tested_with:
            said.setdefault(in_a_line(verdict), []).append(verdict.exercise)
    return [note.message for note in graded.notes] + [f"{_names(names)}: {line}" for line, names in said.items()]


def in_a_line(verdict: Verdict) -> str:
    """Why an exercise lost points, with the likely cause."""
    first, *rest = verdict.message.strip().split("\n")
    cause = next((line.strip() for line in rest if "likely cause" in line), verdict.mistake)
    return f"{first} ({cause})" if cause else first


def _names(exercises: list[str]) -> str:
    """Those of which the same is to be said; many are counted."""
    return ", ".join(exercises) if len(exercises) < 4 else f"{', '.join(exercises[:2])} and {len(exercises) - 2} more"
