"""A student's notebook as HTML for the feedback page: cleaned prose, coloured code, outputs of known kinds.

Nothing hidden comes through: of a test cell only its name, of a cell that ran after a hidden test no output.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from markupsafe import Markup, escape
from nbconvert.filters import Highlight2HTML

from autograde.gradebook.cleaning import clean, rendered
from autograde.lesson import BEGIN_HIDDEN
from autograde.mathml import typeset
from autograde.pages import plain, visible

#: Characters of one text, outputs of one cell, cells of one page, base64 characters of all pictures on a page.
LONGEST, OUTPUTS, CELLS, PICTURES = 20_000, 30, 400, 6_000_000
PICTURE_KINDS = ("image/png", "image/jpeg", "image/svg+xml")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
#: What pandas and plotting libraries put into HTML; it would be cleaned into text that nobody wants to read.
NOT_CONTENT = re.compile(r"<(style|script)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class ShownCell:
    """One cell as a page shows it. `html` is safe; `exercise` is set for a test cell, of which nothing is shown."""

    kind: Literal["prose", "code", "test"]
    name: str
    html: Markup
    outputs: tuple[Markup, ...] = ()
    left_out: bool = False
    exercise: str = ""


@dataclass
class _Budget:
    """How much of a page's room for pictures is left."""

    left: int = field(default=PICTURES)

    def take(self, size: int) -> bool:
        self.left -= size
        return self.left >= 0


def shown_cells(notebook: Any, tests: Mapping[str, str]) -> tuple[list[ShownCell], int]:
    """The cells of a graded notebook and how many more there are. `tests`: grade_id -> exercise of each test cell."""
    budget = _Budget()
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    return [_shown(cell, tests, budget) for cell in cells[:CELLS]], max(len(cells) - CELLS, 0)


def _shown(cell: Any, tests: Mapping[str, str], budget: _Budget) -> ShownCell:
    marks = cell.metadata.get("nbgrader", {})
    name = str(marks.get("grade_id", ""))
    if _is_test(cell, marks, name, tests):
        return ShownCell("test", name, Markup(), exercise=tests.get(name, ""))
    if cell.cell_type != "code":
        return ShownCell("prose", name, prose(cell.source, cell.get("attachments", {})))
    if cell.metadata.get("after_hidden"):
        return ShownCell("code", name, code(cell.source), left_out=bool(cell.outputs))
    return ShownCell("code", name, code(cell.source), tuple(_outputs(cell.outputs, budget)))


def _is_test(cell: Any, marks: Mapping[str, Any], name: str, tests: Mapping[str, str]) -> bool:
    return name in tests or (marks.get("grade") and not marks.get("solution")) or BEGIN_HIDDEN in cell.source


def prose(source: str, attachments: Any = None) -> Markup:
    """A markdown cell, cleaned, its math as MathML."""
    return _prose(source) if not attachments else Markup(typeset(visible(rendered(_cut(source), attachments))))


@lru_cache(maxsize=500)  # most prose is the lesson's: the same on every page of a class
def _prose(source: str) -> Markup:
    return Markup(typeset(visible(rendered(_cut(source)))))


@lru_cache(maxsize=500)
def code(source: str) -> Markup:
    """A code cell with its colours."""
    return Markup(Highlight2HTML(pygments_lexer="ipython3")(visible(_cut(source))))


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST} more characters are left out here."


def _outputs(outputs: Iterable[Any], budget: _Budget) -> Iterator[Markup]:
    merged = _merged(outputs)
    for output in merged[:OUTPUTS]:
        if output["output_type"] == "stream":
            yield _text(output["text"])
        elif output["output_type"] == "error":
            lines = output.get("traceback") or [f"{output.get('ename', '')}: {output.get('evalue', '')}"]
            yield _text("\n".join(str(line) for line in lines))
        else:
            yield _richest(output, budget)
    if len(merged) > OUTPUTS:
        yield Markup("<p>{} more outputs are left out here.</p>").format(len(merged) - OUTPUTS)


def _merged(outputs: Iterable[Any]) -> list[dict[str, Any]]:
    """The outputs, with the pieces of one stream put together."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output["output_type"] == "stream" == last.get("output_type") and output["name"] == last["name"]:
            last["text"] += output["text"]
        else:
            merged.append(dict(output))
    return merged


def _text(text: Any) -> Markup:
    return Markup("<pre>{}</pre>").format(plain(_cut(str(text))))


def _richest(output: Mapping[str, Any], budget: _Budget) -> Markup:
    """The best of the forms in which an output came."""
    data = output.get("data", {})
    for kind in PICTURE_KINDS:
        if kind in data:
            return _picture(kind, str(data[kind]), _alt(output, kind), budget)
    if "text/html" in data:
        html = NOT_CONTENT.sub("", str(data["text/html"]))
        # Half of a tag is no danger, as it is cleaned; but a table cut in the middle is better read as text.
        return Markup(visible(clean(html))) if len(html) <= 5 * LONGEST else _text(data.get("text/plain", html))
    for kind in ("text/markdown", "text/latex"):
        if kind in data:
            return prose(str(data[kind]))
    return _text(data.get("text/plain", "an output of a kind that this page does not show"))


def _alt(output: Mapping[str, Any], kind: str) -> str:
    said = output.get("metadata", {}).get(kind)
    return str(said.get("alt") or "" if isinstance(said, dict) else "")[:500] or "picture that this cell made"


def _picture(kind: str, data: str, alt: str, budget: _Budget) -> Markup:
    """A picture inside the page. As the source of an <img>, an SVG runs no script and loads nothing."""
    if kind == "image/svg+xml":
        data = base64.b64encode(data.encode(errors="replace")).decode()
    if not budget.take(len(data)):
        return Markup("<p>A picture is left out here: there is room for {} MB of them.</p>").format(PICTURES // 10**6)
    if not BASE64.fullmatch(data):
        return Markup("<p>A picture that cannot be read is left out here.</p>")
    return Markup('<img src="data:{};base64,{}" alt="{}">').format(kind, "".join(data.split()), escape(visible(alt)))
