"""Makes a graded submission safe to look at: nothing that a student wrote may run in the instructor's browser.

nbconvert's own `sanitize_html` leaves gaps: nbgrader's page skips it for markdown and for a student's name, and the
width of a picture, which its metadata says, becomes an attribute without quotes. `nbgrader_config.py` plugs the two
filters and the preprocessor of this module into the formgrader's exporter.
"""

from __future__ import annotations

import html
import re
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

TEXT = "a abbr b br code del em i ins kbd s small span strong sub summary sup u"
BLOCKS = "blockquote dd details div dl dt h1 h2 h3 h4 h5 h6 hr img li ol p pre ul"
TABLES = "caption table tbody td tfoot th thead tr"
TAGS = frozenset(f"{TEXT} {BLOCKS} {TABLES}".split())
ATTRIBUTES = {
    "abbr": {"title"},
    "details": {"open"},
    "img": {"alt", "title"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
#: Pictures come with the notebook: one from elsewhere would tell its owner who looks at it, and when.
PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
LINK = re.compile(r"(https?:|mailto:|#)", re.IGNORECASE)
#: What Pygments names its colours; any other class could pass for a part of the formgrader.
COLOUR = re.compile(r"highlight|[a-z]{1,2}\d?")
#: Cleaning takes time that grows with the square of the open tags: 20,000 took 40 s. Nobody writes that many by hand.
MANY = 3_000
SHOWN = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg", "image/svg+xml")
GRADE_ID = re.compile(r"[\w.-]+")


def clean(text: Any) -> str:
    """HTML without anything that acts: other tags than those of plain text become visible text."""
    if str(text).count("<") > MANY:
        return html.escape(str(text))
    return bleach.clean(str(text), tags=TAGS, attributes=_allowed, protocols={"http", "https", "mailto", "data"})


def _allowed(tag: str, name: str, value: str) -> bool:
    if (tag, name) == ("img", "src"):
        return PICTURE.fullmatch(value) is not None
    if (tag, name) == ("a", "href"):
        return LINK.match(value) is not None
    if name == "class":
        return tag in ("div", "span") and COLOUR.fullmatch(value) is not None
    return name in ATTRIBUTES.get(tag, ())


@pass_context
def markdown(context: Any, source: str) -> str:
    """The filter for nbconvert's pages: a markdown cell as clean HTML, pictures from the attachments of its cell."""
    return rendered(source, context.get("cell", {}).get("attachments", {}))


def rendered(source: str, attachments: Any = None) -> str:
    """Markdown as clean HTML; math stays as it is, pictures come from `attachments`."""
    renderer = IPythonRenderer(escape=False, attachments=attachments or {}, exclude_anchor_links=True)
    try:
        return clean(MarkdownWithMath(renderer=renderer).render(source))
    except Exception:  # a missing attachment, endless nesting: whatever it is, an instructor must be able to read it
        return f"<pre>{html.escape(source)}</pre>"


class CleanSubmission(Preprocessor):
    """Leaves of a submission what its page needs: sources, grade ids, outputs of known types with their alt text."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        for name in ("student", "first_name", "last_name", "notebook_path"):
            if isinstance(resources.get(name), str):
                resources[name] = html.escape(resources[name])
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        ours = cell.metadata.get("nbgrader", {})
        known = GRADE_ID.fullmatch(str(ours.get("grade_id", ""))) is not None
        cell.metadata = NotebookNode({"nbgrader": ours} if known else {})
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = NotebookNode({kind: output.data[kind] for kind in SHOWN if kind in output.data})
                output.metadata = NotebookNode({kind: self._described(output, kind) for kind in output.data})
        return cell, resources

    def _described(self, output: Any, kind: str) -> NotebookNode:
        """A picture's alt text: the one thing in an output's metadata that a page needs."""
        said = output.metadata.get(kind)
        alt = said.get("alt") if isinstance(said, dict) else None
        return NotebookNode(alt=str(alt or "picture that this cell made"))
